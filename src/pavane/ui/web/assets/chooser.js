import { Schedule } from "./schedule.js";
import { Scene } from "./scene.js";
import { capacitiesText } from "./panels.js";
import { arrow, trace } from "./pens.js";

// The drawing of the chosen network. A click on a link makes it faulty; a click on a router does what the collective
// requests: it chooses the root, a sender, a receiver, or the two ends of a pair.

export class Chooser {
  constructor(canvas, text, changed) {
    this.canvas = canvas;
    this.text = text;
    this.changed = changed;
    this.chosen = { root: new Set(), senders: new Set(), receivers: new Set(), faults: new Set(), pairs: [] };
    // What a click on a router chooses; null: all processors take part.
    this.role = null;
    this.from = null;
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
      (preview.collective ? `; the file brings its own collective, ${preview.collective}` : "");
    for (const note of preview.notes ?? []) {
      const line = document.createElement("span");
      line.className = "note";
      line.textContent = `Note: ${note}`;
      this.text.append(line);
    }
    this.draw();
  }

  clear() {
    this.scene = null;
    this.canvas.getContext("2d").clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.text.textContent = "";
  }

  read(name, text) {
    // Lists read 0-7,9; links A-B or A>B; pairs 0>5; whatever does not fit yet is left to the server to refuse.
    const parts = text.split(",").map((part) => part.trim()).filter(Boolean);
    if (name === "faults") this.chosen.faults = new Set(parts);
    else if (name === "pairs") this.chosen.pairs = parts.flatMap((part) => { const ends = /^(\d+)\s*[>:]\s*(\d+)$/.exec(part); return ends ? [[Number(ends[1]), Number(ends[2])]] : []; });
    else this.chosen[name] = new Set(parts.flatMap((part) => {
      const ends = /^(\d+)(?:-(\d+))?$/.exec(part);
      if (!ends) return [];
      const last = Math.min(Number(ends[2] ?? ends[1]), 100000);
      return Array.from({ length: Math.max(0, last - ends[1] + 1) }, (_, index) => Number(ends[1]) + index);
    }));
    this.draw();
  }

  click(event) {
    if (!this.scene) return;
    const frame = this.canvas.getBoundingClientRect();
    const hit = this.scene.at(event.clientX - frame.left, event.clientY - frame.top);
    if (!hit) return;
    const name = hit.kind === "channel" ? "faults" : this.role;
    if (hit.kind === "channel") this.chooseLink(hit.number);
    else if (name) this.chooseRouter(name, this.network.processorsOn[hit.number]);
    this.draw();
    this.changed(name, name && this.listed(name));
  }

  chooseLink(channel) {
    const [tail, head] = this.network.channels[channel];
    const named = (router) => this.network.routers[router];
    const back = this.network.channels.some(([a, b]) => a === head && b === tail);
    toggle(this.chosen.faults, back ? [tail, head].sort((a, b) => a - b).map(named).join("-") : `${named(tail)}>${named(head)}`);
  }

  chooseRouter(name, processors) {
    if (!processors.length) return;
    if (name === "root") {
      // The processors of a router take turns.
      const [now] = this.chosen.root, index = processors.indexOf(now);
      this.chosen.root = new Set([processors[(index + 1) % processors.length]]);
    } else if (name === "pairs") {
      if (this.from === null) this.from = processors[0];
      else {
        const same = this.chosen.pairs.findIndex(([from, to]) => from === this.from && to === processors[0]);
        if (same >= 0) this.chosen.pairs.splice(same, 1);
        else if (this.from !== processors[0]) this.chosen.pairs.push([this.from, processors[0]]);
        this.from = null;
      }
    } else for (const processor of processors) toggle(this.chosen[name], processor);
  }

  listed(name) {
    if (name === "faults") return [...this.chosen.faults].join(", ");
    return name === "pairs" ? this.chosen.pairs.map((pair) => pair.join(">")).join(", ") : numbersText(this.chosen[name]);
  }

  draw() {
    const scene = this.scene, pen = scene?.begin();
    if (!pen) return;
    const style = getComputedStyle(this.canvas);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    pen.lineWidth = 3;
    pen.strokeStyle = colour("faults");
    pen.setLineDash([5, 4]);
    for (const fault of this.chosen.faults) {
      this.network.channels.forEach(([tail, head], channel) => {
        const [a, b] = [this.network.routers[tail], this.network.routers[head]];
        if (fault === `${a}-${b}` || fault === `${b}-${a}` || fault === `${a}>${b}`) trace(pen, scene.lane(channel));
      });
    }
    pen.setLineDash([]);
    pen.strokeStyle = colour("mark");
    for (const pair of this.chosen.pairs) this.drawPair(pen, pair);
    scene.over(pen, scene.layers.routers);
    for (const [name, away] of [["senders", 3], ["receivers", 7], ["root", 3], ["from", 3]]) {
      pen.strokeStyle = colour(name === "receivers" ? "receivers" : "mark");
      for (const processor of name === "from" ? [this.from] : this.chosen[name]) {
        const router = this.network.processors[processor];
        if (router === undefined) continue;
        scene.outline(pen, router, scene.radius + away);
        pen.stroke();
      }
    }
    scene.over(pen, scene.layers.names);
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

function toggle(set, value) { if (!set.delete(value)) set.add(value); }

// 0,1,2,5 becomes 0-2,5.
function numbersText(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b), parts = [];
  for (let index = 0; index < sorted.length;) {
    let last = index;
    while (last + 1 < sorted.length && sorted[last + 1] === sorted[last] + 1) last++;
    parts.push(last > index ? `${sorted[index]}-${sorted[last]}` : `${sorted[index]}`);
    index = last + 1;
  }
  return parts.join(",");
}
