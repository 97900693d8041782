// Draws the network and its transfers on a canvas. Transfers keep to the right of a link, as on a road.

// Okabe and Ito's colours, which people with any kind of colour vision can tell apart; marks repeat with other shapes.
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#b8a800"];
const SHAPES = ["disc", "square", "diamond", "triangle"];
const MARGIN = 34;

export class Scene {
  constructor(canvas, schedule) {
    this.canvas = canvas;
    this.schedule = schedule;
    this.context = canvas.getContext("2d");
    this.selected = null;
    this.owners = schedule.isWhole ? [...new Set(schedule.labels.map((label) => label[0]))] : [];
    this.ownerPlace = new Map(this.owners.map((owner, place) => [owner, place]));
    this.lanes = lanes(schedule.channels);
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
    this.base = null;
  }

  styleOf(transfer) {
    const place = this.ownerPlace.get(this.schedule.ownerOf(transfer)) ?? 0;
    return { colour: COLOURS[place % COLOURS.length], shape: SHAPES[Math.floor(place / COLOURS.length) % SHAPES.length] };
  }

  // The two ends of a channel's lane, shifted to the right of its direction, and cut at the routers' rims.
  lane(channel) {
    const [tail, head] = this.schedule.channels[channel];
    const [ax, ay] = this.points[tail], [bx, by] = this.points[head];
    const length = Math.hypot(bx - ax, by - ay) || 1;
    const [dx, dy] = [(bx - ax) / length, (by - ay) / length];
    const aside = this.gap * this.lanes[channel];
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
    return base;
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
      for (const transfer of this.schedule.steps[step]) this.drawTransfer(pen, transfer, progress, kept(transfer), colour);
    } else {
      pen.strokeStyle = COLOURS[0];
      pen.lineWidth = Math.max(1, this.gap * 0.9);
      pen.globalAlpha = 0.25 + 0.75 * progress;
      for (const channel of this.schedule.busyChannels(step)) line(pen, ...this.lane(channel));
      pen.globalAlpha = 1;
    }
    if (this.selected) this.drawSelected(pen, colour);
  }

  drawTransfer(pen, transfer, progress, isKept, colour) {
    const { colour: own, shape } = this.styleOf(transfer);
    pen.globalAlpha = isKept ? 1 : 0.12;
    pen.strokeStyle = pen.fillStyle = own;
    pen.lineWidth = Math.max(1.2, this.gap * (transfer.carries.length > 1 ? 1.3 : 0.9));
    const pieces = transfer.path.map((channel) => this.lane(channel));
    if (!pieces.length) {
      // Between processors of one router: a ring around it.
      const [x, y] = this.points[this.schedule.routerOf(transfer.from)];
      pen.beginPath();
      pen.arc(x, y, this.radius * 1.6, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * progress);
      pen.stroke();
      pen.globalAlpha = 1;
      return;
    }
    const lengths = pieces.map(([ax, ay, bx, by]) => Math.hypot(bx - ax, by - ay));
    let left = progress * lengths.reduce((sum, length) => sum + length, 0);
    let at = [pieces[0][0], pieces[0][1]];
    for (let place = 0; place < pieces.length && left > 0; place++) {
      const [ax, ay, bx, by] = pieces[place], part = Math.min(1, left / (lengths[place] || 1));
      at = [ax + (bx - ax) * part, ay + (by - ay) * part];
      line(pen, ax, ay, ...at);
      if (part === 1 && place + 1 < pieces.length) line(pen, bx, by, pieces[place + 1][0], pieces[place + 1][1]);
      left -= lengths[place];
    }
    pen.strokeStyle = colour.paper;
    pen.lineWidth = 0.8;
    mark(pen, shape, at[0], at[1], Math.max(2, this.gap * 1.4));
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
      for (const transfer of this.schedule.transfers) {
        if (transfer.carries.includes(number)) for (const channel of transfer.path) line(pen, ...this.lane(channel));
      }
    }
  }

  // What lies under a point: a router, else the nearest channel.
  at(x, y) {
    if (!this.points) return null;
    const router = this.points.findIndex(([px, py]) => Math.hypot(px - x, py - y) <= this.radius + 3);
    if (router >= 0) return { kind: "router", number: router };
    let best = null, nearest = 6;
    this.schedule.channels.forEach((_, channel) => {
      const away = distanceTo(this.lane(channel), x, y);
      if (away < nearest) [best, nearest] = [{ kind: "channel", number: channel }, away];
    });
    return best;
  }
}

// How far each channel keeps aside: the first by one, parallel ones further out.
function lanes(channels) {
  const used = new Map();
  return channels.map(([tail, head]) => {
    const key = `${tail}>${head}`;
    used.set(key, (used.get(key) || 0) + 1);
    return used.get(key);
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
