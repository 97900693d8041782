import { penOn, trace } from "./pens.js";

// Times in words, and the time line of a timed schedule: a row for each channel that is used, a bar for each transfer.

const UNITS = [["s", 1e12], ["ms", 1e9], ["us", 1e6], ["ns", 1e3], ["ps", 1]];
const MOST_NAMED = 48;
const NAMES_WIDE = 84;

// Picoseconds with a unit.
export function timeText(picoseconds) {
  if (!picoseconds) return "0 s";
  const [unit, scale] = UNITS.find(([, size]) => picoseconds >= size) || UNITS.at(-1);
  return `${Number((picoseconds / scale).toPrecision(6)).toLocaleString("en", { maximumFractionDigits: 6 })} ${unit}`;
}

// A time in words, in picoseconds; null where it is none.
export function readTime(text) {
  const read = /^(?:at\s+|time\s+)?([\d.]+)\s*(s|ms|us|ns|ps)$/i.exec(text.trim());
  return read ? Number(read[1]) * Object.fromEntries(UNITS)[read[2].toLowerCase()] : null;
}

export class TimeLine {
  constructor(canvas, schedule, lookOf) {
    Object.assign(this, { canvas, schedule, lookOf });
    this.channels = [...new Set(schedule.transfers.flatMap(({ path }) => path))].sort((a, b) => a - b);
    this.rowOf = new Map(this.channels.map((channel, row) => [channel, row]));
    this.isNamed = this.channels.length <= MOST_NAMED;
    const tall = this.isNamed ? 14 : Math.max(2, Math.min(8, Math.floor(420 / this.channels.length)));
    canvas.style.height = `${Math.max(28, tall * this.channels.length + 4)}px`;
  }

  get left() { return this.isNamed && this.canvas.clientWidth > 4 * NAMES_WIDE ? NAMES_WIDE : 0; }

  xOf(time) { return this.left + (this.canvas.clientWidth - this.left - 1) * time / this.end; }

  get end() { return Math.max(this.schedule.times.finish, 1); }

  // What does not change while it plays; drawn again when the size or the colours change.
  drawBars(colour) {
    const canvas = document.createElement("canvas"), { clientWidth: width, clientHeight: height } = this.canvas;
    const pen = penOn(canvas, width, height), tall = height / this.channels.length;
    if (this.left) this.writeNames(pen, tall, colour);
    for (const transfer of this.schedule.transfers) {
      pen.fillStyle = this.lookOf(this.schedule.ownerOf(transfer)).colour;
      const x = this.xOf(transfer.start), wide = Math.max(1, this.xOf(transfer.free) - x - 0.6);
      for (const channel of transfer.path) pen.fillRect(x, this.rowOf.get(channel) * tall + (tall > 4 ? 1 : 0), wide, Math.max(1, tall - (tall > 4 ? 2 : 0.5)));
    }
    // Transfers that break rules are framed, above all others.
    pen.strokeStyle = colour.wrong;
    pen.lineWidth = 2;
    for (const transfer of this.schedule.transfers) {
      if (!transfer.isWrong) continue;
      const x = this.xOf(transfer.start), wide = Math.max(2, this.xOf(transfer.free) - x - 0.6);
      for (const channel of transfer.path) pen.strokeRect(x, this.rowOf.get(channel) * tall + 1, wide, Math.max(1, tall - 2));
    }
    pen.lineWidth = 1;
    const { bound } = this.schedule.times;
    if (bound) {
      pen.strokeStyle = colour.ink;
      pen.setLineDash([4, 4]);
      trace(pen, [[this.xOf(bound), 0], [this.xOf(bound), height]]);
    }
    this.bars = canvas;
  }

  writeNames(pen, tall, colour) {
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.fillStyle = colour.muted;
    this.channels.forEach((channel, row) => {
      const [tail, head] = this.schedule.channels[channel].map((router) => this.schedule.routers[router]);
      pen.fillText(`${tail}→${head}`.slice(0, 14), 2, (row + 0.5) * tall, NAMES_WIDE - 6);
    });
  }

  draw(time, colour) {
    if (!this.canvas.clientWidth) return;
    if (!this.bars) this.drawBars(colour);
    const pen = penOn(this.canvas), { clientWidth: width, clientHeight: height } = this.canvas;
    pen.drawImage(this.bars, 0, 0, width, height);
    pen.strokeStyle = colour.mark;
    pen.lineWidth = 2;
    trace(pen, [[this.xOf(time), 0], [this.xOf(time), height]]);
  }

  // The time and the channel under a point.
  at(x, y) {
    const row = Math.floor(y / this.canvas.clientHeight * this.channels.length);
    const time = Math.max(0, Math.min(1, (x - this.left) / (this.canvas.clientWidth - this.left))) * this.end;
    return { time, channel: this.channels[Math.max(0, Math.min(this.channels.length - 1, row))] };
  }
}
