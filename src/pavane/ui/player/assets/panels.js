import { capital, counted } from "./stories.js";
import { timeText } from "./times.js";

// What stands around the drawing: facts, tables, trees and the bars of the timeline.

const MOST_ROWS = 64;
const MOST_RULES = 5;

// Elements are made of tags, attributes and texts only, so that no name in a file can become markup.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function section(title, ...children) { return make("section", {}, make("h2", {}, title), ...children); }

export function factsOf(schedule) {
  const { made } = schedule;
  return make("dl", {},
    make("dt", {}, schedule.collectives ? "Collectives" : "Collective"), make("dd", {}, `${schedule.collective}${schedule.numWhole === undefined ? "" : `: ${messagesText(schedule)}`}`),
    ...(schedule.isWide ? [make("dt", {}, "Capacities"), make("dd", {}, capacitiesText(schedule.capacities))] : []),
    make("dt", {}, "Rules"), make("dd", {}, schedule.rules),
    ...(schedule.times ? [make("dt", {}, "Links"), make("dd", {}, schedule.times.links)] : []),
    make("dt", {}, schedule.times ? "Ends" : `${capital(schedule.stepWord)}s`), make("dd", {}, schedule.times ? `after ${timeText(schedule.times.finish)}` : `${schedule.numSteps.toLocaleString("en")}${schedule.slots?.wraps ? " (the period)" : ""}${schedule.combining ? ` start-ups, total channel occupancy ${schedule.tco}` : ""}${timesText(schedule)}`),
    ...(schedule.violations ? [make("dt", {}, "Broken rules"), make("dd", {}, brokenRules(schedule.violations))] : [make("dt", {}, "Proof"), make("dd", {}, schedule.proof.join(" "))]),
    make("dt", {}, schedule.isMadeClaimed ? "Found by, as the file says" : "Found by"), make("dd", {}, `${made.solver}, seed ${made.seed}, ${made.seconds} s`));
}

// The first broken rules, which are the causes of most that follow.
function brokenRules(violations) {
  const more = violations.length - MOST_RULES;
  return make("ul", {}, ...violations.slice(0, MOST_RULES).map(({ rule, text }) => make("li", {}, `${rule}: ${text}`)), ...(more > 0 ? [make("li", {}, `and ${more.toLocaleString("en")} more, most of them consequences`)] : []));
}

// Who gets what when, as a table where there is room for one; or as a tree that `fill` grows for an owner and a piece.
export function wholeOf(schedule) {
  if (schedule.collectives) return { parts: [section("Collectives", collectivesTable(schedule))], fill: null };
  if (!schedule.isWhole) {
    const chosen = schedule.hasTransfers ? `those of ${counted(new Set(schedule.labels.map((label) => label[0])).size, "origin")} are` : "none is";
    return { parts: [make("p", { class: "note" }, `${counted(schedule.numTransfers, "transfer")} are too many to list: ${chosen} listed, and the drawing shows which channels are busy.`)], fill: null };
  }
  if (schedule.times && (schedule.pattern === "private" || schedule.isSum)) return { parts: [], fill: null };
  if (schedule.pattern === "private" || schedule.isSum) {
    const title = schedule.isSum ? "Who gets a sum of which part when (+: who adds it)" : schedule.slots ? "Which message is injected when" : "Who gets its message when";
    const hasRoom = schedule.processors.length <= MOST_ROWS && schedule.numSteps <= 2 * MOST_ROWS;
    return { parts: hasRoom ? [section(title, table(schedule))] : [], fill: null };
  }
  const list = make("div"), first = schedule.labels[0][0];
  return {
    parts: [section(schedule.pattern === "broadcast" ? "Broadcast tree" : "Reduction tree", list)],
    fill: (owner, piece) => list.replaceChildren(tree(schedule, owner ?? first, piece ?? schedule.pieceOf(0))),
  };
}

function messagesText(schedule) {
  return `${counted(schedule.numWhole, "message")}${schedule.hasPieces ? ` in ${counted(schedule.numMessages, "piece")}` : ""}`;
}

function timesText(schedule) {
  return schedule.messageTimes ? `, or ${schedule.messageTimes} message times: a message is ${counted(schedule.pieces, "piece")}` : "";
}

export function capacitiesText(capacities) {
  const known = [...new Set(capacities)].sort((a, b) => a - b);
  return known.length > 6 ? `${known[0]} to ${known.at(-1)} a step` : `${known.join(", ")} a step; the wider a line, the more`;
}

// The steps after which each of several collectives is complete, with a bar, and the bound on them without the others.
function collectivesTable(schedule) {
  const cells = (tag, texts, scope) => texts.map((text) => make(tag, scope ? { scope } : {}, text));
  const rows = schedule.collectives.map(({ name, steps, bound }, number) => make("tr", {}, ...cells("td", [String(number), name, String(steps)]),
    make("td", {}, make("progress", { max: schedule.numSteps, value: steps, "aria-hidden": "true" })), ...cells("td", [String(bound)])));
  const head = make("tr", {}, ...cells("th", ["number", "collective", "complete after step", "", "bound alone"], "col"));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Collectives" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
}

function table(schedule) {
  const head = make("tr", {}, make("th", { scope: "col" }, schedule.isSum ? "part" : "from"), ...schedule.steps.map((_, step) => make("th", { scope: "col" }, String(step + 1))));
  const rows = [...schedule.destinationTable()].map(([owner, cells]) => make("tr", {}, make("th", { scope: "row" }, schedule.nameOf(owner)),
    ...cells.map((cell) => make("td", {}, cell.sort((a, b) => a[0] - b[0] || a[1] - b[1])
      .map(([location, piece, added]) => `${added ? "+" : ""}${schedule.nameOf(location)}${schedule.hasPieces ? `.${piece}` : ""}`).join(", ")))));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Destination table" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
}

function tree(schedule, owner, piece) {
  const children = schedule.treeOf(owner, piece);
  const seen = new Set([owner]);
  const grown = (location) => {
    const parts = (children.get(location) || []).filter((child) => !seen.has(child.place));
    parts.forEach((child) => seen.add(child.place));
    return parts.length ? make("ul", {}, ...parts.map((child) => make("li", {}, `${schedule.nameOf(child.place)} ${schedule.times ? "" : "in "}${schedule.when(child.step)}`, ...[grown(child.place)].filter(Boolean)))) : null;
  };
  return make("div", { class: "tree scroll", tabindex: "0", role: "region", "aria-label": "Tree" }, make("p", {}, `${schedule.hasPieces ? `Piece ${piece} of the message` : "Message"} ${schedule.pattern === "broadcast" ? "of" : "for"} ${schedule.nameOf(owner)}`), ...[grown(owner)].filter(Boolean));
}

// How much of all capacity each step fills, a bar a step.
export function drawBars(pen, schedule, now, width, height, colour) {
  const part = width / schedule.numSteps, most = schedule.capacityInAll || 1;
  schedule.busyCounts.forEach((busy, step) => {
    pen.fillStyle = step === now ? colour.mark : colour.line;
    const tall = Math.max(1, height * busy / most);
    pen.fillRect(step * part + (part > 4 ? 1 : 0), height - tall, Math.max(0.5, part - (part > 4 ? 2 : 0)), tall);
  });
}
