import { Schedule } from "./schedule.js";
import { Scene } from "./scene.js";
import { capacitiesText } from "./player.js";

// The drawing of the chosen network: a click chooses senders, receivers or faulty links.

const MARKS = { senders: "#0072b2", receivers: "#e69f00", faults: "#d55e00" };

export class Chooser {
  constructor(canvas, text, changed) {
    this.canvas = canvas;
    this.text = text;
    this.changed = changed;
    this.chosen = { senders: new Set(), receivers: new Set(), faults: new Set() };
    this.mode = "senders";
    canvas.onclick = (event) => this.click(event);
    new ResizeObserver(() => { if (this.scene) { this.scene.resize(); this.draw(); } }).observe(canvas);
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (this.scene) { this.scene.base = null; this.draw(); } });
  }

  show(preview) {
    this.network = new Schedule({ ...preview, numSteps: 0, labels: [] });
    this.scene = new Scene(this.canvas, this.network);
    const { routers, channels, processors } = preview;
    this.text.textContent = `${preview.name}: ${routers.length} routers, ${channels.length} channels, ${processors.length} processors` +
      (preview.capacities ? `; capacities ${capacitiesText(preview.capacities)}` : "") +
      (preview.collective ? `; the file brings its own collective, ${preview.collective}` : "");
    for (const told of preview.notes ?? []) {
      const line = document.createElement("span");
      line.className = "note";
      line.textContent = `Note: ${told}`;
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
    // Lists read 0-7,9; links A-B or A>B; whatever does not fit yet is left to the server to refuse.
    const parts = text.split(",").map((part) => part.trim()).filter(Boolean);
    this.chosen[name] = name === "faults" ? new Set(parts) : new Set(parts.flatMap((part) => {
      const ends = /^(\d+)(?:-(\d+))?$/.exec(part);
      if (!ends) return [];
      const last = Math.min(Number(ends[2] ?? ends[1]), 100000);
      return Array.from({ length: Math.max(0, last - ends[1] + 1) }, (_, place) => Number(ends[1]) + place);
    }));
    this.draw();
  }

  click(event) {
    if (!this.scene) return;
    const frame = this.canvas.getBoundingClientRect();
    const hit = this.scene.at(event.clientX - frame.left, event.clientY - frame.top);
    if (!hit) return;
    if (this.mode === "faults" && hit.kind === "channel") {
      const [tail, head] = this.network.channels[hit.number];
      const name = (router) => this.network.routers[router];
      const back = this.network.channels.some(([a, b]) => a === head && b === tail);
      const pair = back ? [tail, head].sort((a, b) => a - b).map(name).join("-") : `${name(tail)}>${name(head)}`;
      toggle(this.chosen.faults, pair);
    } else if (this.mode !== "faults" && hit.kind === "router") {
      for (const processor of this.network.processorsOn[hit.number]) toggle(this.chosen[this.mode], processor);
    } else return;
    this.draw();
    this.changed(this.mode, this.mode === "faults" ? [...this.chosen.faults].join(", ") : listed(this.chosen[this.mode]));
  }

  draw() {
    const scene = this.scene;
    if (!scene || !scene.points) return;
    scene.base ||= scene.drawBase();
    const pen = scene.context;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(scene.base, 0, 0);
    pen.scale(scene.density, scene.density);
    pen.lineWidth = 3;
    for (const [name, away] of [["senders", 3], ["receivers", 7]]) {
      pen.strokeStyle = MARKS[name];
      for (const processor of this.chosen[name]) {
        const router = this.network.processors[processor];
        if (router === undefined) continue;
        pen.beginPath();
        pen.arc(...scene.points[router], scene.radius + away, 0, 2 * Math.PI);
        pen.stroke();
      }
    }
    pen.strokeStyle = MARKS.faults;
    pen.setLineDash([5, 4]);
    for (const fault of this.chosen.faults) {
      this.network.channels.forEach(([tail, head], channel) => {
        const [a, b] = [this.network.routers[tail], this.network.routers[head]];
        if (fault === `${a}-${b}` || fault === `${b}-${a}` || fault === `${a}>${b}`) {
          const [ax, ay, bx, by] = scene.lane(channel);
          pen.beginPath();
          pen.moveTo(ax, ay);
          pen.lineTo(bx, by);
          pen.stroke();
        }
      });
    }
    pen.setLineDash([]);
  }
}

function toggle(set, value) { if (!set.delete(value)) set.add(value); }

// 0,1,2,5 becomes 0-2,5.
function listed(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b), parts = [];
  for (let place = 0; place < sorted.length;) {
    let last = place;
    while (last + 1 < sorted.length && sorted[last + 1] === sorted[last] + 1) last++;
    parts.push(last > place ? `${sorted[place]}-${sorted[last]}` : `${sorted[place]}`);
    place = last + 1;
  }
  return parts.join(",");
}
