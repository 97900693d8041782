import { Schedule } from "./schedule.js";
import { Scene } from "./scene.js";
import { capacitiesText, make } from "./panels.js";
import { arrow, trace } from "./pens.js";

// The drawing of the chosen network. A click on a link makes it faulty; a click on a router makes it the root, a sender,
// a receiver or an end of a pair, whichever the collective takes. All of this is in the fields of the form.

export class Chooser {
  constructor(canvas, text, fields, clicked) {
    // The field that a click on a router changes, and the first processor of a pair that has no second yet.
    Object.assign(this, { canvas, text, fields, clicked, role: null, from: null });
    canvas.onclick = (event) => this.click(event);
    const repaint = () => { this.scene?.repaint(); this.draw(); };
    new ResizeObserver(() => { this.scene?.resize(); this.draw(); }).observe(canvas);
    new MutationObserver(repaint).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  }

  show(preview) {
    this.clear();
    if (preview.routers) {
      this.network = new Schedule({ ...preview, numSteps: 0, labels: [] });
      this.scene = new Scene(this.canvas, this.network);
    }
    const [routers, channels, processors] = preview.figures.map((figure) => figure.toLocaleString("en"));
    this.text.textContent = `${preview.name}: ${routers} routers, ${channels} channels, ${processors} processors` +
      (preview.capacities ? `; capacities ${capacitiesText(preview.capacities)}` : "") +
      (preview.collective ? `; the file has a collective of its own, ${preview.collective}` : "");
    this.text.append(...preview.notes.map((note) => make("span", { class: "note" }, `Note: ${note}`)));
    this.draw();
  }

  clear() {
    this.scene = null;
    this.canvas.getContext("2d").clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.text.textContent = "";
  }

  take(role) {
    Object.assign(this, { role, from: null });
    this.draw();
  }

  click(event) {
    const frame = this.canvas.getBoundingClientRect();
    const hit = this.scene?.at(event.clientX - frame.left, event.clientY - frame.top);
    if (!hit) return;
    if (hit.kind === "channel") this.toggle("faults", this.linkText(hit.number));
    else if (this.role) this.chooseRouter(this.network.processorsOn[hit.number]);
    this.draw();
    this.clicked(hit.kind !== "channel" && !this.role);
  }

  linkText(channel) {
    const [tail, head] = this.network.channels[channel], name = (router) => this.network.routers[router];
    const isTwoWay = this.network.channels.some(([a, b]) => a === head && b === tail);
    return isTwoWay ? [tail, head].sort((a, b) => a - b).map(name).join("-") : `${name(tail)}>${name(head)}`;
  }

  chooseRouter(processors) {
    if (!processors.length) return;
    if (this.role === "root") {
      // The processors of a router take turns.
      const index = processors.indexOf(Number(this.fields.root.value || NaN));
      this.fields.root.value = processors[(index + 1) % processors.length];
    } else if (this.role !== "pairs") {
      const chosen = new Set(numbers(this.fields[this.role].value));
      for (const processor of processors) if (!chosen.delete(processor)) chosen.add(processor);
      this.fields[this.role].value = numbersText(chosen);
    } else if (this.from === null) [this.from] = processors;
    else {
      if (this.from !== processors[0]) this.toggle("pairs", `${this.from}>${processors[0]}`);
      this.from = null;
    }
  }

  // Adds an entry to the list in a field, or removes it.
  toggle(name, entry) {
    const entries = new Set(list(this.fields[name].value));
    if (!entries.delete(entry)) entries.add(entry);
    this.fields[name].value = [...entries].join(", ");
  }

  draw() {
    const scene = this.scene, pen = scene?.begin();
    if (!pen) return;
    const style = getComputedStyle(this.canvas), colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const value = (name) => (this.fields[name].disabled ? "" : this.fields[name].value);
    const faults = new Set(list(value("faults")));
    pen.lineWidth = 3;
    pen.strokeStyle = colour("faults");
    pen.setLineDash([5, 4]);
    this.network.channels.forEach((ends, channel) => {
      const [a, b] = ends.map((router) => this.network.routers[router]);
      if (faults.has(`${a}-${b}`) || faults.has(`${b}-${a}`) || faults.has(`${a}>${b}`)) trace(pen, scene.lane(channel));
    });
    pen.setLineDash([]);
    pen.strokeStyle = colour("mark");
    for (const pair of list(value("pairs"))) this.drawPair(pen, pair.split(/[>:]/).map(Number));
    scene.over(pen, scene.layers.routers);
    const rings = [["senders", 3, "mark"], ["receivers", 7, "receivers"], ["root", 3, "mark"]];
    for (const [name, away, ink] of rings) for (const processor of numbers(value(name))) this.drawRing(pen, processor, away, colour(ink));
    if (this.from !== null) this.drawRing(pen, this.from, 3, colour("mark"));
    scene.over(pen, scene.layers.names);
  }

  drawRing(pen, processor, away, colour) {
    const router = this.network.processors[processor];
    if (router === undefined) return;
    pen.strokeStyle = colour;
    this.scene.outline(pen, router, this.scene.radius + away);
    pen.stroke();
  }

  // An arrow from the first of a pair to the second, from rim to rim.
  drawPair(pen, pair) {
    const [a, b] = pair.map((processor) => this.scene.points[this.network.processors[processor]]);
    if (!a || !b) return;
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1, cut = Math.min(this.scene.radius + 2, length / 3) / length;
    const line = [cut, 1 - cut].map((share) => [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share]);
    pen.lineWidth = 2;
    pen.fillStyle = pen.strokeStyle;
    trace(pen, line);
    arrow(pen, line, 5);
  }
}

const list = (text) => text.split(",").map((part) => part.trim()).filter(Boolean);

// 0-2,5 becomes 0, 1, 2, 5; what is no number is left to the server to refuse.
function numbers(text) {
  return list(text).flatMap((part) => {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    return first === undefined ? [] : Array.from({ length: Math.max(0, Math.min(last, 100_000) - first + 1) }, (_, index) => Number(first) + index);
  });
}

// 0, 1, 2, 5 becomes 0-2,5.
function numbersText(chosen) {
  const sorted = [...chosen].sort((a, b) => a - b), parts = [];
  for (let index = 0; index < sorted.length;) {
    let last = index;
    while (sorted[last + 1] === sorted[last] + 1) last++;
    parts.push(last > index ? `${sorted[index]}-${sorted[last]}` : `${sorted[index]}`);
    index = last + 1;
  }
  return parts.join(",");
}
