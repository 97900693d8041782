// Draws the network and its transfers on a canvas. Transfers keep to the right of a link, as on a road.

// Okabe and Ito's colours, which people with any kind of colour vision can tell apart; marks repeat with other shapes.
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#b8a800"];
const SHAPES = ["disc", "square", "diamond", "triangle"];
const MARGIN = 34;
// A channel of the largest capacity is this many times as wide as one of capacity one, at most.
const WIDEST = 4;
const MOST_CAPACITIES_SHOWN = 5;

export class Scene {
  constructor(canvas, schedule) {
    this.canvas = canvas;
    this.schedule = schedule;
    this.context = canvas.getContext("2d");
    this.selected = null;
    this.owners = schedule.isWhole ? [...new Set(schedule.labels.map((label) => label[0]))] : [];
    this.ownerPlace = new Map(this.owners.map((owner, place) => [owner, place]));
    this.strips = strips(schedule);
    this.spots = { step: -1 };
    this.resize();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    const density = Math.min(window.devicePixelRatio || 1, 2);
    this.canvas.width = width * density;
    this.canvas.height = height * density;
    this.density = density;
    const size = Math.min(width, height) - 2 * MARGIN;
    this.points = this.schedule.places.map(([x, y]) => [width / 2 + (x - 0.5) * size, height / 2 - (y - 0.5) * size]);
    const nearest = nearestDistance(this.points);
    this.radius = Math.max(2.5, Math.min(16, nearest * 0.28));
    this.gap = Math.max(0.6, Math.min(4, this.radius * 0.3));
    // Wide links are squeezed to the width of a router.
    this.unit = this.schedule.isWide ? this.gap * Math.min(1, 3.4 / this.strips.reduce((most, { first, width }) => Math.max(most, first + width), 1)) : this.gap;
    this.base = null;
    this.spots = { step: -1 };
  }

  styleOf(transfer) {
    const place = this.ownerPlace.get(this.schedule.ownerOf(transfer)) ?? 0;
    return { colour: COLOURS[place % COLOURS.length], shape: SHAPES[Math.floor(place / COLOURS.length) % SHAPES.length] };
  }

  // The two ends of a channel's lane, shifted to the right of its direction, and cut at the routers' rims; of several that
  // share a channel, each has a part of its width.
  lane(channel, part = 0.5) {
    const [tail, head] = this.schedule.channels[channel];
    const [ax, ay] = this.points[tail], [bx, by] = this.points[head];
    const length = Math.hypot(bx - ax, by - ay) || 1;
    const [dx, dy] = [(bx - ax) / length, (by - ay) / length];
    const { first, width } = this.strips[channel];
    const aside = this.unit * (0.5 + first + part * width);
    const cut = Math.min(this.radius, length / 3);
    return [ax + dx * cut - dy * aside, ay + dy * cut + dx * aside, bx - dx * cut - dy * aside, by - dy * cut + dx * aside];
  }

  colours() {
    const style = getComputedStyle(this.canvas);
    const named = (name) => style.getPropertyValue(name).trim();
    return { ink: named("--ink"), muted: named("--muted"), faint: named("--faint"), paper: named("--paper"), mark: named("--mark") };
  }

  drawBase() {
    const base = document.createElement("canvas");
    base.width = this.canvas.width;
    base.height = this.canvas.height;
    const pen = base.getContext("2d");
    const colour = this.colours();
    pen.scale(this.density, this.density);
    pen.strokeStyle = colour.faint;
    pen.lineWidth = Math.max(0.6, this.gap * 0.5);
    this.schedule.channels.forEach((_, channel) => {
      const [ax, ay, bx, by] = this.lane(channel);
      if (this.schedule.isWide) pen.lineWidth = this.widthOf(channel);
      line(pen, ax, ay, bx, by);
      if (this.radius > 6) arrow(pen, ax, ay, bx, by, this.gap * 1.6, colour.faint);
    });
    this.points.forEach(([x, y], router) => {
      const processors = this.schedule.processorsOn[router].length;
      pen.fillStyle = colour.paper;
      pen.strokeStyle = colour.ink;
      pen.lineWidth = 1.2;
      pen.beginPath();
      if (processors) pen.arc(x, y, this.radius, 0, 2 * Math.PI);
      else pen.rect(x - this.radius, y - this.radius, 2 * this.radius, 2 * this.radius);
      pen.fill();
      pen.stroke();
      if (processors > 1) {
        pen.fillStyle = colour.ink;
        for (let turn = 0; turn < processors; turn++) {
          const angle = 2 * Math.PI * (turn + 0.5) / processors;
          pen.beginPath();
          pen.arc(x + 1.3 * this.radius * Math.sin(angle), y - 1.3 * this.radius * Math.cos(angle), Math.max(1.5, this.radius * 0.2), 0, 2 * Math.PI);
          pen.fill();
        }
      }
      const name = this.schedule.routers[router];
      if (this.radius > 7 && name.length * this.radius * 0.42 < 2.2 * this.radius) {
        pen.fillStyle = colour.ink;
        pen.font = `${Math.max(8, this.radius * 0.85)}px system-ui, sans-serif`;
        pen.textAlign = "center";
        pen.textBaseline = "middle";
        pen.fillText(name, x, y + 0.5);
      }
    });
    if (this.schedule.isWide) this.drawLegend(pen, colour);
    return base;
  }

  widthOf(channel) { return Math.max(0.6, this.unit * (this.strips[channel].width - 0.5)); }

  // Which width is which capacity, at the lower left.
  drawLegend(pen, colour) {
    const known = [...new Set(this.schedule.capacities)].sort((a, b) => a - b);
    const shown = known.length <= MOST_CAPACITIES_SHOWN ? known : [known[0], known[known.length >> 1], known.at(-1)];
    const bottom = this.canvas.height / this.density - 12;
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillStyle = colour.muted;
    pen.strokeStyle = colour.faint;
    pen.fillText("capacity", 10, bottom);
    let x = 16 + pen.measureText("capacity").width;
    for (const capacity of shown) {
      pen.lineWidth = this.widthOf(this.schedule.capacities.indexOf(capacity));
      line(pen, x, bottom, x + 22, bottom);
      pen.fillText(`×${capacity}`, x + 27, bottom);
      x += 37 + pen.measureText(`×${capacity}`).width;
    }
  }

  // For each transfer of a step and each channel of its path, which part of the channel's width it has.
  partsIn(step) {
    if (this.spots.step === step) return this.spots;
    const loads = this.schedule.loadsIn(step), taken = new Map(), parts = new Map();
    for (const transfer of this.schedule.steps[step]) {
      parts.set(transfer, transfer.path.map((channel) => {
        const before = taken.get(channel) || 0;
        taken.set(channel, before + 1);
        return (before + 0.5) / loads.get(channel);
      }));
    }
    let most = 1;
    if (this.schedule.isWide) loads.forEach((load, channel) => { most = Math.max(most, load / this.strips[channel].width); });
    this.spots = { step, parts, most };
    return this.spots;
  }

  // `progress` runs from 0 to 1 within the step; `kept` says which transfers pass the filter.
  draw(step, progress, kept) {
    if (!this.points) this.resize();
    if (!this.points) return;
    this.base ||= this.drawBase();
    const pen = this.context;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.base, 0, 0);
    pen.scale(this.density, this.density);
    const colour = this.colours();
    if (this.schedule.isWhole) {
      const { parts, most } = this.partsIn(step);
      for (const transfer of this.schedule.steps[step]) this.drawTransfer(pen, transfer, parts.get(transfer), progress, kept(transfer), colour, most);
    } else {
      pen.strokeStyle = COLOURS[0];
      pen.lineWidth = Math.max(1, this.gap * 0.9);
      pen.globalAlpha = 0.25 + 0.75 * progress;
      for (const [channel, load] of this.schedule.loadsIn(step)) {
        if (this.schedule.tellsLoads) pen.lineWidth = Math.max(1, this.widthOf(channel) * load / this.schedule.capacityOf(channel));
        line(pen, ...this.lane(channel));
      }
      pen.globalAlpha = 1;
    }
    if (this.selected) this.drawSelected(pen, colour);
  }

  drawTransfer(pen, transfer, parts, progress, isKept, colour, crowd) {
    const { colour: own, shape } = this.styleOf(transfer);
    pen.globalAlpha = isKept ? 1 : 0.12;
    pen.strokeStyle = pen.fillStyle = own;
    const room = this.unit / crowd;
    pen.lineWidth = Math.max(1.2, room * (transfer.carries.length > 1 ? 1.3 : 0.9));
    // Sums that are added are on their way to become one; broken lines tell them from sums that are only told.
    pen.setLineDash(this.schedule.isAdded(transfer) ? [6, 4] : []);
    const ways = transfer.path.map((channel, place) => this.lane(channel, parts[place]));
    if (!ways.length) {
      // Between processors of one router: a ring around it.
      const [x, y] = this.points[this.schedule.routerOf(transfer.from)];
      pen.beginPath();
      pen.arc(x, y, this.radius * 1.6, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * progress);
      pen.stroke();
      pen.setLineDash([]);
      pen.globalAlpha = 1;
      return;
    }
    const lengths = ways.map(([ax, ay, bx, by]) => Math.hypot(bx - ax, by - ay));
    let left = progress * lengths.reduce((sum, length) => sum + length, 0);
    let at = [ways[0][0], ways[0][1]];
    for (let place = 0; place < ways.length && left > 0; place++) {
      const [ax, ay, bx, by] = ways[place], part = Math.min(1, left / (lengths[place] || 1));
      at = [ax + (bx - ax) * part, ay + (by - ay) * part];
      line(pen, ax, ay, ...at);
      if (part === 1 && place + 1 < ways.length) line(pen, bx, by, ways[place + 1][0], ways[place + 1][1]);
      left -= lengths[place];
    }
    pen.setLineDash([]);
    pen.strokeStyle = colour.paper;
    pen.lineWidth = 0.8;
    mark(pen, shape, at[0], at[1], Math.max(2, room * 1.4));
    pen.globalAlpha = 1;
  }

  drawSelected(pen, colour) {
    const { kind, number } = this.selected;
    pen.strokeStyle = colour.mark;
    pen.lineWidth = 3;
    if (kind === "router") {
      const [x, y] = this.points[number];
      pen.beginPath();
      pen.arc(x, y, this.radius + 4, 0, 2 * Math.PI);
      pen.stroke();
    } else if (kind === "channel") {
      line(pen, ...this.lane(number));
    } else if (kind === "message") {
      const asked = new Set(this.selected.numbers);
      const ways = new Set(this.schedule.transfers.flatMap((transfer) => (transfer.carries.some((message) => asked.has(message)) ? transfer.path : [])));
      for (const channel of ways) line(pen, ...this.lane(channel));
    }
  }

  // What lies under a point: a router, else the nearest channel.
  at(x, y) {
    if (!this.points) return null;
    const router = this.points.findIndex(([px, py]) => Math.hypot(px - x, py - y) <= this.radius + 3);
    if (router >= 0) return { kind: "router", number: router };
    let best = null, nearest = 6;
    this.schedule.channels.forEach((_, channel) => {
      const away = distanceTo(this.lane(channel), x, y) - (this.schedule.isWide ? this.widthOf(channel) / 2 : 0);
      if (away < nearest) [best, nearest] = [{ kind: "channel", number: channel }, away];
    });
    return best;
  }
}

// The strip of each channel beside its link: where it begins and how wide it is; parallel ones lie further out.
function strips(schedule) {
  const used = new Map(), slope = Math.min(1, (WIDEST - 1) / Math.max(1, schedule.mostCapacity - 1));
  return schedule.channels.map(([tail, head], channel) => {
    const key = `${tail}>${head}`, first = used.get(key) || 0, width = 1 + slope * (schedule.capacityOf(channel) - 1);
    used.set(key, first + width);
    return { first, width };
  });
}

function nearestDistance(points) {
  if (points.length < 2) return 60;
  let nearest = Infinity;
  for (let a = 0; a < points.length; a++) {
    for (let b = a + 1; b < points.length; b++) {
      nearest = Math.min(nearest, Math.hypot(points[a][0] - points[b][0], points[a][1] - points[b][1]));
    }
  }
  return nearest;
}

function distanceTo([ax, ay, bx, by], x, y) {
  const along = Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2 || 1)));
  return Math.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay));
}

function line(pen, ax, ay, bx, by) {
  pen.beginPath();
  pen.moveTo(ax, ay);
  pen.lineTo(bx, by);
  pen.stroke();
}

function arrow(pen, ax, ay, bx, by, size, colour) {
  const angle = Math.atan2(by - ay, bx - ax);
  pen.fillStyle = colour;
  pen.beginPath();
  pen.moveTo(bx, by);
  pen.lineTo(bx - size * 1.8 * Math.cos(angle - 0.4), by - size * 1.8 * Math.sin(angle - 0.4));
  pen.lineTo(bx - size * 1.8 * Math.cos(angle + 0.4), by - size * 1.8 * Math.sin(angle + 0.4));
  pen.fill();
}

function mark(pen, shape, x, y, size) {
  pen.beginPath();
  if (shape === "disc") pen.arc(x, y, size, 0, 2 * Math.PI);
  else if (shape === "square") pen.rect(x - size, y - size, 2 * size, 2 * size);
  else {
    const corners = shape === "diamond" ? 4 : 3;
    for (let corner = 0; corner < corners; corner++) {
      const angle = 2 * Math.PI * corner / corners;
      pen[corner ? "lineTo" : "moveTo"](x + 1.3 * size * Math.sin(angle), y - 1.3 * size * Math.cos(angle));
    }
    pen.closePath();
  }
  pen.fill();
  pen.stroke();
}
