// Sentences about what happens to a router, a channel, a message, in a step.

const MOST_LINES = 60;

export function stepStory(schedule, step) {
  const count = schedule.transfersIn(step), busy = schedule.busyCounts[step], all = schedule.channels.length;
  const head = `Step ${step + 1} of ${schedule.numSteps}: ${counted(count, "transfer")} on ${busy.toLocaleString("en")} of ${counted(all, "channel")}`;
  const payload = schedule.combining && schedule.isWhole
    ? `, at most ${counted(Math.max(0, ...schedule.steps[step].map((t) => t.carries.length)), "message")} in one` : "";
  return { head: `${head}${payload}.`, lines: shortened(schedule.steps[step].map((t) => transferText(schedule, t))) };
}

export function transferText(schedule, transfer) {
  const carried = transfer.carries.length === 1
    ? `message ${schedule.messageText(transfer.carries[0])}` : `${transfer.carries.length} messages`;
  const way = transfer.path.length ? `by ${schedule.pathText(transfer)}` : `inside router ${schedule.routers[schedule.routerOf(transfer.from)]}`;
  const direct = transfer.carries.length === 1 && schedule.pattern === "private" &&
    schedule.labels[transfer.carries[0]][0] === transfer.from && schedule.labels[transfer.carries[0]][1] === transfer.to;
  const ends = direct ? "" : ` goes from ${schedule.nameOf(transfer.from)} to ${schedule.nameOf(transfer.to)}`;
  return `${carried}${ends} ${way}`;
}

export function routerStory(schedule, router) {
  const processors = schedule.processorsOn[router];
  const kind = processors.length === 0 ? "a pure switch"
    : schedule.isSlim ? "" : `with ${processors.length === 1 ? "processor" : "processors"} ${processors.map((p) => `p${p}`).join(", ")}`;
  const head = `Router ${schedule.routers[router]}${kind ? `, ${kind}` : ""}`;
  if (!schedule.isWhole) return { head: `${head}.`, lines: [] };
  const here = (location) => schedule.routerOf(location) === router;
  const sent = schedule.transfers.filter((t) => here(t.from)), got = schedule.transfers.filter((t) => here(t.to));
  const passing = schedule.transfers.filter((t) => !here(t.from) && !here(t.to) && schedule.routersAlong(t).includes(router));
  const lines = [...sent.map((t) => [t.step, `step ${t.step + 1}: sends: ${transferText(schedule, t)}`]),
    ...got.map((t) => [t.step, `step ${t.step + 1}: receives: ${transferText(schedule, t)}`])];
  lines.sort((a, b) => a[0] - b[0]);
  return {
    head: `${head}: sends ${sent.length}, receives ${got.length}, passes on ${counted(passing.length, "path")}.`,
    lines: shortened(lines.map((line) => line[1])),
  };
}

export function channelStory(schedule, channel) {
  const [tail, head] = schedule.channels[channel].map((router) => schedule.routers[router]);
  const busy = [];
  for (let step = 0; step < schedule.numSteps; step++) if (schedule.busyChannels(step).includes(channel)) busy.push(step);
  const users = schedule.isWhole ? schedule.transfers.filter((t) => t.path.includes(channel)) : [];
  return {
    head: `Channel from ${tail} to ${head}: busy in ${busy.length} of ${counted(schedule.numSteps, "step")}.`,
    lines: shortened(users.map((t) => `step ${t.step + 1}: ${transferText(schedule, t)}`)),
  };
}

export function messageStory(schedule, message) {
  const moves = schedule.transfers.filter((t) => t.carries.includes(message));
  const text = schedule.messageText(message);
  if (moves.length === 1 && moves[0].carries.length === 1) {
    return { head: `Message ${text} leaves in step ${moves[0].step + 1} by ${schedule.pathText(moves[0])}.`, lines: [] };
  }
  return {
    head: `Message ${text}: ${counted(moves.length, "transfer")}.`,
    lines: shortened(moves.map((t) => `step ${t.step + 1}: from ${schedule.nameOf(t.from)} to ${schedule.nameOf(t.to)} by ${schedule.pathText(t)}`)),
  };
}

// What someone may type: "step 3", "router 01", "channel 01>10", "message 0>9" or just a router's name.
export function found(schedule, text) {
  const asked = text.trim();
  const step = /^step\s+(\d+)$/i.exec(asked);
  if (step && step[1] >= 1 && step[1] <= schedule.numSteps) return { kind: "step", number: step[1] - 1 };
  const ends = /^(?:(channel|message)\s+)?(\S+?)\s*(?:>|→|\bto\b)\s*(\S+)$/i.exec(asked);
  if (ends) {
    const [, kind, from, to] = ends;
    const channel = schedule.channels.findIndex(([a, b]) => schedule.routers[a] === from && schedule.routers[b] === to);
    const message = schedule.isWhole && schedule.pattern === "private"
      ? schedule.labels.findIndex((label) => isNamed(schedule, label[0], from) && isNamed(schedule, label[1], to)) : -1;
    if (message >= 0 && (kind || "message").toLowerCase() === "message") return { kind: "message", number: message };
    if (channel >= 0 && (kind || "channel").toLowerCase() === "channel") return { kind: "channel", number: channel };
    return null;
  }
  const name = asked.replace(/^(router|processor|message( of)?)\s+/i, "");
  const router = schedule.routers.indexOf(name);
  if (router >= 0) return { kind: "router", number: router };
  const processor = /^p(\d+)$/.exec(name);
  return processor && processor[1] < schedule.processors.length ? { kind: "router", number: schedule.processors[processor[1]] } : null;
}

function isNamed(schedule, processor, name) {
  return schedule.nameOf(processor) === name || String(processor) === name || `p${processor}` === name;
}

export function counted(number, noun) { return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`; }

function shortened(lines) {
  return lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES), `and ${lines.length - MOST_LINES} more`];
}
