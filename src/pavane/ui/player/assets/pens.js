// Strokes on a canvas: lines, arrows, and the marks at the heads of transfers.

export function trace(pen, line) {
  pen.beginPath();
  line.forEach(([x, y], corner) => pen[corner ? "lineTo" : "moveTo"](x, y));
  pen.stroke();
}

export function arrow(pen, line, size) {
  const [ax, ay] = line.at(-2), [bx, by] = line.at(-1), angle = Math.atan2(by - ay, bx - ax);
  pen.beginPath();
  pen.moveTo(bx, by);
  pen.lineTo(bx - size * 1.8 * Math.cos(angle - 0.4), by - size * 1.8 * Math.sin(angle - 0.4));
  pen.lineTo(bx - size * 1.8 * Math.cos(angle + 0.4), by - size * 1.8 * Math.sin(angle + 0.4));
  pen.fill();
}

export function mark(pen, shape, x, y, size) {
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

// A canvas as large as it is shown, and a pen that counts in the page's units.
export function penOn(canvas, width = canvas.clientWidth, height = canvas.clientHeight) {
  const density = Math.min(window.devicePixelRatio || 1, 2);
  canvas.width = width * density;
  canvas.height = height * density;
  const pen = canvas.getContext("2d");
  pen.scale(density, density);
  return pen;
}
