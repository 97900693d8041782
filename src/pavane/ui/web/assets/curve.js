import { penOn } from "./pens.js";

// How a search goes: conflicts where the method counts them, otherwise the best number of steps; the bound as a dashed line.

export function drawCurve(canvas, seen, word = "step") {
  const { clientWidth: width, clientHeight: height } = canvas, style = getComputedStyle(canvas);
  const pen = penOn(canvas);
  const counting = seen.filter((event) => typeof event.conflicts === "number");
  const points = counting.length ? counting.map((event) => [event.seconds, event.conflicts]) : seen.filter((event) => typeof event.best === "number").map((event) => [event.seconds, event.best]);
  if (!seen.length) return;
  const bound = counting.length ? 0 : seen.at(-1).bound ?? 0;
  const last = Math.max(0.1, seen.at(-1).seconds), most = Math.max(...points.map((point) => point[1]), bound, 1) * 1.05, least = counting.length ? 0 : bound * 0.9;
  const spot = ([x, y]) => [44 + (width - 54) * x / last, height - 18 - (height - 36) * (y - least) / (most - least || 1)];
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  pen.strokeStyle = colour("mark");
  pen.lineWidth = 2;
  if (points.length) {
    pen.beginPath();
    points.forEach((point, number) => { const [x, y] = spot(point); if (number) { pen.lineTo(x, spot(points[number - 1])[1]); pen.lineTo(x, y); } else pen.moveTo(x, y); });
    pen.lineTo(width - 10, spot(points.at(-1))[1]);
    pen.stroke();
  }
  pen.strokeStyle = colour("line");
  pen.setLineDash([4, 4]);
  pen.lineWidth = 1.5;
  const floor = spot([0, bound])[1];
  pen.beginPath();
  pen.moveTo(44, floor);
  pen.lineTo(width - 10, floor);
  pen.stroke();
  pen.fillStyle = colour("muted");
  pen.font = "12px system-ui, sans-serif";
  pen.fillText(counting.length ? "conflicts of the best" : `${word}s: best so far, and the bound dashed`, 2, 12);
  pen.textAlign = "right";
  if (points.length && Math.abs(spot(points.at(-1))[1] - floor) > 12) pen.fillText(String(points.at(-1)[1]), 38, spot(points.at(-1))[1] + 4);
  pen.fillText(String(bound), 38, floor + 4);
  pen.fillText(`${last.toFixed(1)} s`, width - 10, height - 3);
}
