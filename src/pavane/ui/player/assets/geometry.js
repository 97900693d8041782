// Where channels are drawn: to the right of their links, beside parallel ones, and around routers that they only pass.

// A channel of the largest capacity is this many times as wide as one of capacity one, at most.
const WIDEST = 4;
// Links between smaller routers are drawn straight: these bear no names that could be struck out.
const LEAST_RADIUS_PASSED_ROUND = 6;
const CORNERS = 16;

// The strip of each channel beside its link: where it begins and how wide it is; parallel ones lie further out.
export function strips(schedule) {
  const used = new Map(), slope = Math.min(1, (WIDEST - 1) / Math.max(1, schedule.mostCapacity - 1));
  return schedule.channels.map(([tail, head], channel) => {
    const key = `${tail}>${head}`, first = used.get(key) || 0, width = 1 + slope * (schedule.capacityOf(channel) - 1);
    used.set(key, first + width);
    return { first, width };
  });
}

// The line of each link, from its lower router to its higher one: straight, or bowed where it would cross a third.
export function linkLines(channels, points, radius, nearest) {
  const lines = new Map(), least = Math.min(0.55 * nearest, 2.2 * radius);
  const bows = [0, 1, -1, 1.6, -1.6, 2.4, -2.4].map((times) => times * least);
  for (const [tail, head] of channels) {
    const low = Math.min(tail, head), high = Math.max(tail, head), key = `${low}-${high}`;
    if (lines.has(key)) continue;
    const made = (bow) => bowed(points[low], points[high], bow);
    let best = made(0);
    if (radius >= LEAST_RADIUS_PASSED_ROUND) {
      let fewest = Infinity;
      for (const bow of outwardFirst(points[low], points[high], bows, points)) {
        const line = made(bow), crossed = routersOn(line, low, high, points, radius * 1.2 + 1);
        if (crossed < fewest) [best, fewest] = [line, crossed];
        if (!crossed) break;
      }
    }
    lines.set(key, best);
  }
  return lines;
}

// Of two bows that are alike, the one away from the middle of the drawing comes first.
function outwardFirst([ax, ay], [bx, by], bows, points) {
  const [x, y] = points.reduce(([sx, sy], [px, py]) => [sx + px / points.length, sy + py / points.length], [0, 0]);
  const aside = ((ax + bx) / 2 - x) * -(by - ay) + ((ay + by) / 2 - y) * (bx - ax);
  return aside < 0 ? bows.map((bow) => -bow) : bows;
}

function routersOn(line, low, high, points, near) {
  let crossed = 0;
  points.forEach(([x, y], router) => { if (router !== low && router !== high && distanceTo(line, x, y) < near) crossed++; });
  return crossed;
}

// A line that leaves steeply and then runs beside the straight one, at the distance of `bow`.
function bowed([ax, ay], [bx, by], bow) {
  if (!bow) return [[ax, ay], [bx, by]];
  const length = Math.hypot(bx - ax, by - ay) || 1, [dx, dy] = [(bx - ax) / length, (by - ay) / length];
  return Array.from({ length: CORNERS + 1 }, (_, corner) => {
    const t = corner / CORNERS, rise = 4 * t * (1 - t) * bow, along = length * (3 * (1 - t) * (1 - t) * t * 0.08 + 3 * (1 - t) * t * t * 0.92 + t ** 3);
    return [ax + dx * along - dy * rise, ay + dy * along + dx * rise];
  });
}

// The same line to the right of its direction.
export function shifted(line, aside) {
  return line.map(([x, y], corner) => {
    const [ax, ay] = line[Math.max(0, corner - 1)], [bx, by] = line[Math.min(line.length - 1, corner + 1)];
    const length = Math.hypot(bx - ax, by - ay) || 1;
    return [x - (by - ay) / length * aside, y + (bx - ax) / length * aside];
  });
}

export function lengthOf(line) {
  let length = 0;
  for (let corner = 1; corner < line.length; corner++) length += Math.hypot(line[corner][0] - line[corner - 1][0], line[corner][1] - line[corner - 1][1]);
  return length;
}

// The part of a line between two distances from its beginning.
export function partOf(line, first, last) {
  const part = [];
  let before = 0;
  for (let corner = 1; corner < line.length; corner++) {
    const [ax, ay] = line[corner - 1], [bx, by] = line[corner], length = Math.hypot(bx - ax, by - ay) || 1e-9;
    const spot = (distance) => { const t = Math.max(0, Math.min(1, (distance - before) / length)); return [ax + (bx - ax) * t, ay + (by - ay) * t]; };
    if (before + length >= first && before <= last) {
      if (!part.length) part.push(spot(first));
      part.push(spot(last));
    }
    before += length;
  }
  return part.length ? part : [line[0], line[0]];
}

export function nearestDistance(points) {
  if (points.length < 2) return 60;
  let nearest = Infinity;
  for (let a = 0; a < points.length; a++) {
    for (let b = a + 1; b < points.length; b++) {
      nearest = Math.min(nearest, Math.hypot(points[a][0] - points[b][0], points[a][1] - points[b][1]));
    }
  }
  return nearest;
}

export function distanceTo(line, x, y) {
  let nearest = Infinity;
  for (let corner = 1; corner < line.length; corner++) {
    const [ax, ay] = line[corner - 1], [bx, by] = line[corner];
    const along = Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2 || 1)));
    nearest = Math.min(nearest, Math.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay)));
  }
  return nearest;
}
