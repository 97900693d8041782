import { COLOURS, SHAPES } from "./colours.js";
import { mark, penOn, trace } from "./pens.js";

// What the colours, marks and lines of the drawing mean, as a list beneath it.

const MOST_OWNERS_SHOWN = 16;

// The entries of a step: those of origins that are seen in it, and of every kind of mark that is drawn; `filled` says what
// fills routers.
export function legendOf(scene, schedule, transfers, filled) {
  const colour = scene.colours(), owners = [...new Set(transfers.map((transfer) => schedule.ownerOf(transfer)))].sort((a, b) => a - b);
  const noun = schedule.isSum ? "part" : schedule.pattern === "reduction" ? "for" : "from";
  // More looks than these cannot be distinguished: a filter shows one of them.
  const entries = owners.length > MOST_OWNERS_SHOWN
    ? [[`${owners.length} origins in ${COLOURS.light.length} colours: choose one, or click a channel`, null]]
    : owners.map((owner) => {
      const look = scene.lookOf(owner);
      return [schedule.groups?.[owner] ?? `${noun} ${schedule.fullNameOf(owner)}`, (pen) => drawHead(pen, look, colour.paper)];
    });
  const stroke = (drawn, width, dash = []) => (pen) => { pen.strokeStyle = drawn; pen.lineWidth = width; pen.setLineDash(dash); trace(pen, [[1, 7], [27, 7]]); };
  if (transfers.some((transfer) => transfer.added)) entries.push(["added where it arrives", stroke(colour.ink, 2, [6, 4])], ["takes the place of what is there", stroke(colour.ink, 2)]);
  if (schedule.combining && transfers.some((transfer) => transfer.carries.length > 1)) entries.push(["wide line: several messages", stroke(colour.ink, 4)]);
  if (scene.showsLoads) entries.push([schedule.hasLoads ? "load of a channel" : "busy channel", stroke(colour.load, 3.5)], ["idle channel", stroke(colour.line, 1.2)]);
  if (schedule.times?.bound) entries.push(["bound: no schedule ends earlier", stroke(colour.ink, 1, [4, 4])]);
  if (schedule.conflicts) entries.push(["a rule is broken here", stroke(colour.wrong, 4, [3, 3])]);
  if (filled) entries.push([`filled: ${filled}`, (pen) => drawPie(pen, colour)]);
  if (schedule.processorsOn.some((processors) => !processors.length)) entries.push(["switch without processors", (pen) => drawSwitch(pen, colour)]);
  return entries;
}

// Elements of a legend, each a small drawing and its words.
export function legendItems(entries, make) {
  return entries.map(([text, draw]) => {
    if (!draw) return make("span", { role: "listitem" }, text);
    const canvas = make("canvas", { class: "swatch", "aria-hidden": "true" });
    draw(penOn(canvas, 28, 14));
    return make("span", { role: "listitem" }, canvas, make("span", {}, text));
  });
}

function drawHead(pen, { colour, shape, dash }, paper) {
  pen.strokeStyle = pen.fillStyle = colour;
  pen.lineWidth = 3;
  pen.setLineDash(dash);
  trace(pen, [[1, 7], [22, 7]]);
  pen.setLineDash([]);
  pen.strokeStyle = paper;
  pen.lineWidth = 0.8;
  mark(pen, SHAPES.includes(shape) ? shape : "disc", 22, 7, 4);
}

function drawPie(pen, colour) {
  pen.fillStyle = colour.informed;
  pen.beginPath();
  pen.moveTo(14, 7);
  pen.arc(14, 7, 6, -Math.PI / 2, Math.PI);
  pen.fill();
  pen.strokeStyle = colour.ink;
  pen.beginPath();
  pen.arc(14, 7, 6, 0, 2 * Math.PI);
  pen.stroke();
}

function drawSwitch(pen, colour) {
  pen.strokeStyle = colour.ink;
  pen.strokeRect(8.5, 1.5, 11, 11);
}
