import { readTime, timeText } from "./times.js";

// Sentences about what happens to a router, a channel, a message, in a step.

const MOST_LINES = 400;

export function stepStory(schedule, step) {
  if (schedule.times) return momentStory(schedule, step);
  const count = schedule.transfersIn(step), busy = schedule.loadsIn(step).size, all = schedule.channels.length;
  const where = `${capital(schedule.stepWord)} ${schedule.numberOf(step)} of ${schedule.numSteps.toLocaleString("en")}`, channels = `${busy.toLocaleString("en")} of ${counted(all, "channel")}`;
  const head = schedule.slots ? `${where}: ${counted(count, "packet")} injected, ${channels} busy` : `${where}: ${counted(count, "transfer")} on ${channels}`;
  const load = schedule.hasLoads ? `, which fill ${shareText(schedule.busyCounts[step], schedule.capacityInAll)} of the capacity` : "";
  const payload = schedule.combining && schedule.isWhole
    ? `, at most ${counted(Math.max(0, ...schedule.steps[step].map((t) => t.carries.length)), nounOf(schedule))} in one` : "";
  const broken = (schedule.violations || []).filter((violation) => violation.step === step).map(({ rule, text }) => `${rule}: ${text}`);
  return { head: `${head}${load}${payload}.`, lines: shortened(broken).concat(shortened(byCollective(schedule, schedule.steps[step]).flatMap((t) => (schedule.slots ? packetTexts(schedule, t) : [transferText(schedule, t)])))) };
}

// Transfers one collective after the other, where there are several.
function byCollective(schedule, transfers) {
  return schedule.collectives ? [...transfers].sort((a, b) => schedule.labels[a.carries[0]][0] - schedule.labels[b.carries[0]][0]) : transfers;
}

function momentStory(schedule, step) {
  const under = schedule.steps[step], busy = schedule.loadsIn(step).size, from = timeText(schedule.cuts[step]), to = timeText(schedule.cuts[step + 1]);
  const broken = (schedule.violations || []).filter(({ transfer }) => under.some((t) => t.number === transfer)).map(({ rule, text }) => `${rule}: ${text}`);
  return {
    head: `From ${from} to ${to}: ${counted(under.length, "transfer")} under way, ${busy} of ${counted(schedule.channels.length, "channel")} held.`,
    lines: shortened(broken).concat(shortened(under.map((t) => `${transferText(schedule, t)}, from ${timeText(t.start)}, usable at ${timeText(t.end)}`))),
  };
}

// What a packet does in a slot: it is injected, is on channels, or is ejected; inside a router nothing is reported.
function packetTexts(schedule, packet) {
  const what = schedule.carriedText(packet.carries[0]), routers = schedule.routersAlong(packet).map((router) => schedule.routers[router]);
  if (packet.offset === 0) return [`${transferText(schedule, packet)}: injected`];
  const hops = packet.on.map((index) => `${what} from ${routers[index]} to ${routers[index + 1]}, channel ${index + 1} of ${packet.path.length}`);
  return packet.offset >= schedule.flight(packet) ? [...hops, `${what}: ejected at ${schedule.nameOf(packet.to)}`] : hops;
}

export function transferText(schedule, transfer) {
  const carried = transfer.carries.length === 1
    ? schedule.carriedText(transfer.carries[0]) : counted(transfer.carries.length, nounOf(schedule));
  const way = transfer.path.length ? `by ${schedule.pathText(transfer)}` : `inside router ${schedule.routers[schedule.routerOf(transfer.from)]}`;
  const { pattern, label, name } = schedule.partOf(transfer.carries[0]);
  const direct = transfer.carries.length === 1 && pattern === "private" && label[0] === transfer.from && label[1] === transfer.to;
  const ends = direct ? "" : ` ${transfer.carries.length === 1 ? "goes" : "go"} from ${schedule.nameOf(transfer.from)} to ${schedule.nameOf(transfer.to)}`;
  return `${name ? `${name}: ` : ""}${carried}${ends} ${way}${sumText(schedule, transfer)}`;
}

// What becomes of sums of an allreduce where they arrive.
function sumText(schedule, transfer) {
  if (!transfer.added) return "";
  const added = transfer.added.filter(Boolean).length, all = transfer.carries.length;
  if (all > 1) return added === all ? ", all added" : added ? `, ${added} of them added` : ", in place of what is there";
  return `, ${added ? "added" : "in place of what is there"}: ${transfer.heard[0]} of ${counted(schedule.partOf(transfer.carries[0]).numMembers, "contribution")} then`;
}

export function routerStory(schedule, router) {
  const processors = schedule.processorsOn[router];
  const kind = processors.length === 0 ? "a pure switch"
    : schedule.isSlim ? "" : `with ${processors.length === 1 ? "processor" : "processors"} ${processors.map((p) => schedule.nameOf(p)).join(", ")}`;
  const head = `Router ${schedule.routers[router]}${kind ? `, ${kind}` : ""}`;
  if (!schedule.isWhole) return { head: `${head}.`, lines: [] };
  const here = (location) => schedule.routerOf(location) === router;
  const sent = schedule.transfers.filter((t) => here(t.from)), got = schedule.transfers.filter((t) => here(t.to));
  const passing = schedule.transfers.filter((t) => !here(t.from) && !here(t.to) && schedule.routersAlong(t).includes(router));
  const lines = [...sent.map((t) => [t.step, `${schedule.leaves(t)}: sends: ${transferText(schedule, t)}`]),
    ...got.map((t) => [schedule.arrivalOf(t), `${schedule.arrives(t)}: receives: ${transferText(schedule, t)}`])];
  lines.sort((a, b) => a[0] - b[0]);
  return {
    head: `${head}: sends ${sent.length}, receives ${got.length}, passes on ${counted(passing.length, "path")}.`,
    lines: shortened(lines.map((line) => line[1])),
  };
}

export function channelStory(schedule, channel) {
  const [tail, head] = schedule.channels[channel].map((router) => schedule.routers[router]);
  const users = schedule.isWhole ? schedule.transfers.filter((t) => t.path.includes(channel)) : [];
  if (schedule.times) {
    const held = users.reduce((sum, t) => sum + t.free - t.start, 0);
    return {
      head: `Channel from ${tail} to ${head}: held for ${timeText(held)}, ${shareText(held, schedule.times.finish).split(" (")[0]} of the time, by ${counted(users.length, "transfer")}.`,
      lines: shortened(users.map((t) => `${timeText(t.start)} to ${timeText(t.free)}: ${transferText(schedule, t)}`)),
    };
  }
  const loads = Array.from({ length: schedule.numSteps }, (_, step) => (schedule.isWhole ? 0 : schedule.loadOf(step, channel)));
  const uses = users.flatMap((t) => schedule.usesOf(t, t.path.indexOf(channel)).map((step) => [step, t])).sort((a, b) => a[0] - b[0]);
  for (const [step] of uses) loads[step] += 1;
  const busy = loads.filter(Boolean).length, capacity = schedule.capacityOf(channel);
  const wide = schedule.isWide ? ` of capacity ${capacity}` : "";
  const filled = schedule.hasLoads ? `, load ${loads.reduce((sum, load) => sum + load, 0)} of ${capacity * schedule.numSteps}` : "";
  const load = (step) => (capacity > 1 ? ` (${loads[step]} of ${capacity})` : "");
  return {
    head: `Channel from ${tail} to ${head}${wide}: busy in ${busy} of ${counted(schedule.numSteps, schedule.stepWord)}${filled}.`,
    lines: schedule.isWhole ? shortened(uses.map(([step, t]) => `${schedule.stepWord} ${schedule.numberOf(step)}${load(step)}: ${transferText(schedule, t)}`))
      : schedule.hasLoads ? shortened(loads.flatMap((carried, step) => (carried ? [`${schedule.stepWord} ${schedule.numberOf(step)}: ${carried} of ${capacity}`] : []))) : [],
  };
}

// How far a step has come: which processors have what they are to have.
export function sharesStory(schedule, { numWhole, numDue }, origin) {
  const which = `After this ${schedule.stepWord}, ${numWhole.toLocaleString("en")} of ${counted(numDue, "processor")}`, all = isAboutSeveral(schedule, origin);
  const [have, know, are, own] = numWhole === 1 ? ["has", "knows", "is", "its"] : ["have", "know", "are", "their"];
  if (schedule.isSum) return `${which} ${have} ${all ? "all sums" : "the sum"}.`;
  if (schedule.pattern === "broadcast") return `${which} ${all ? `${know} all messages` : `${are} informed`}.`;
  if (schedule.pattern === "reduction") return `${which} ${have} sent ${all ? `all ${own} parts` : `${own} part`}.`;
  return `${which} ${are} complete.`;
}

// Which of several collectives are complete after a step.
export function completeStory(schedule, step) {
  const number = schedule.collectives.filter(({ steps }) => steps <= step + 1).length;
  return `After this step, ${number} of ${counted(schedule.collectives.length, "collective")} ${number === 1 ? "is" : "are"} complete.`;
}

// What fills a router in the drawing.
export function sharesText(schedule, origin) {
  const all = isAboutSeveral(schedule, origin);
  if (schedule.isSum) return all ? "share of the sums it has" : "has the sum";
  if (schedule.pattern === "broadcast") return all ? "share of the messages it knows" : "informed";
  if (schedule.pattern === "reduction") return all ? "share of its parts it has sent" : "has sent its part";
  return "share of messages received";
}

function isAboutSeveral(schedule, origin) { return origin === null && schedule.labels.some((label) => label[0] !== schedule.labels[0][0]); }

// The story of one message or piece, or of all pieces of a message.
export function messageStory(schedule, numbers) {
  const messages = new Set(numbers);
  const moves = schedule.transfers.filter((t) => t.carries.some((message) => messages.has(message)));
  if (numbers.length > 1) {
    const of = schedule.messageText(numbers[0]);
    return {
      head: `${schedule.isSum ? "Sums" : "Message"} ${of}: ${counted(numbers.length, "piece")} in ${counted(moves.length, "transfer")}, ${schedule.times ? "" : `${schedule.stepWord}s `}${schedule.times ? schedule.leaves(moves[0]) : schedule.numberOf(moves[0].step)} to ${schedule.times ? timeText(moves.at(-1).end) : schedule.numberOf(moves.at(-1).step)}.`,
      lines: shortened(moves.map((t) => `${schedule.leaves(t)}: ${transferText(schedule, t)}`)),
    };
  }
  const text = capital(schedule.carriedText(numbers[0]));
  if (moves.length === 1 && moves[0].carries.length === 1) {
    return { head: `${text} leaves ${schedule.times ? "" : "in "}${schedule.leaves(moves[0])} by ${schedule.pathText(moves[0])}${schedule.slots ? ` and arrives in ${schedule.arrives(moves[0])}` : schedule.times ? ` and is usable ${schedule.arrives(moves[0])}` : ""}.`, lines: [] };
  }
  return {
    head: `${text}: ${counted(moves.length, "transfer")}.`,
    lines: shortened(moves.map((t) => `${schedule.leaves(t)}: from ${schedule.nameOf(t.from)} to ${schedule.nameOf(t.to)} by ${schedule.pathText(t)}${sumText(schedule, t)}`)),
  };
}

// What Find takes: "step 3" or under tdm "slot 3", "router 01", "channel 01>10", "message 0>9" or just a router's name; and where messages
// have pieces, "0>9" for all of a message's, "0>9.2" for one, of broadcasts "message 3" and "3.2".
export function found(schedule, text) {
  const query = text.trim();
  const step = /^(?:step|slot)\s+(\d+)$/i.exec(query);
  const time = schedule.times ? readTime(query) : null;
  if (time !== null) return { kind: "step", number: schedule.stepAt(time) };
  if (step) {
    const number = step[1] - 1;
    return number >= 0 && number < schedule.numSteps ? { kind: "step", number } : null;
  }
  const ends = /^(?:(channel|message|piece)\s+)?(\S+?)\s*(?:>|→|\bto\b)\s*(\S+)$/i.exec(query);
  if (ends) {
    const kind = ends[1]?.toLowerCase(), [, , from, to] = ends;
    const channel = schedule.channels.findIndex(([a, b]) => schedule.routers[a] === from && schedule.routers[b] === to);
    const message = schedule.pattern === "private" && kind !== "channel" ? messageNamed(schedule, [from, to]) : null;
    if (message) return message;
    return channel >= 0 && (kind || "channel") === "channel" ? { kind: "channel", number: channel } : null;
  }
  const word = /^(message(?: of| for)?|piece(?: of| for)?)\s+(.*)$/i.exec(query);
  const name = word ? word[2] : query.replace(/^(router|processor)\s+/i, "");
  const router = schedule.routers.indexOf(name);
  if (schedule.hasPieces && schedule.pattern !== "private" && (word || router < 0)) {
    const message = messageNamed(schedule, [name]);
    if (message && (word || message.numbers.length === 1)) return message;
  }
  if (router >= 0) return { kind: "router", number: router };
  const processor = /^p(\d+)$/.exec(name);
  return processor && processor[1] < schedule.processors.length ? { kind: "router", number: schedule.processors[processor[1]] } : null;
}

// The message with these ends, or the one piece of it that the last end names behind a point.
function messageNamed(schedule, ends) {
  if (!schedule.hasTransfers) return null;
  const numbered = (names, piece) => {
    const first = schedule.labels.findIndex((label, number) => names.every((name, end) => isNamed(schedule, label[end], name)) &&
      (piece === null || schedule.pieceOf(number) === piece));
    return first < 0 ? null : { kind: "message", number: first, numbers: piece === null && schedule.hasPieces ? schedule.piecesOf(first) : [first] };
  };
  const point = /^(.*)\.(\d+)$/.exec(ends.at(-1));
  return numbered(ends, null) || (schedule.hasPieces && point ? numbered([...ends.slice(0, -1), point[1]], Number(point[2])) : null);
}

function isNamed(schedule, processor, name) {
  return schedule.nameOf(processor) === name || String(processor) === name || `p${processor}` === name;
}

export function counted(number, noun) { return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`; }

export function nounOf(schedule) { return schedule.isSum ? "sum" : schedule.hasPieces ? "piece" : "message"; }

export function capital(text) { return text[0].toUpperCase() + text.slice(1); }

function shareText(part, whole) { return `${Math.round(100 * part / (whole || 1))} % (${part.toLocaleString("en")} of ${whole.toLocaleString("en")})`; }

function shortened(lines) {
  return lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES), `and ${lines.length - MOST_LINES} more`];
}
