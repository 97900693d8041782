// How the transfers of each origin look: colours that differ between neighbours, and where they repeat other marks and
// broken lines.

// On paper of either scheme every colour has a contrast of at least 3 to 1; they differ in lightness as well as in hue,
// so that people with any kind of colour vision can distinguish them.
export const COLOURS = {
  light: ["#0072b2", "#bf7f00", "#009463", "#7f006a", "#d03050", "#404000", "#0000fe"],
  dark: ["#56b4e9", "#e69f00", "#1fb98d", "#a95cff", "#e85050", "#c2e975", "#cc6fbb"],
};
export const SHAPES = ["disc", "square", "diamond", "triangle"];
// Broken lines of an allreduce show what is added, so there only the marks differ.
const DASHES = [[], [9, 3], [3, 3], [9, 3, 2, 3]];

// For each origin the number of its colour and which repetition of that colour it is.
export function looksOf(schedule, owners) {
  // Collectives are not at one router: their colours follow each other, and lines stay whole for what is added.
  if (schedule.groups) return new Map(owners.map((group) => [group, { colour: group % COLOURS.light.length, shape: SHAPES[Math.floor(group / COLOURS.light.length) % SHAPES.length], dash: [] }]));
  const near = neighboursOf(schedule), on = new Map(), looks = new Map(), used = COLOURS.light.map(() => 0);
  for (const owner of owners) {
    const router = schedule.routerOf(owner), beside = used.map(() => 0);
    const count = (other, weight) => { for (const number of on.get(other) || []) beside[number] += weight; };
    count(router, 100);
    for (const other of near[router]) {
      count(other, 100);
      for (const far of near[other]) if (far !== router) count(far, 1);
    }
    let colour = 0;
    for (let number = 1; number < used.length; number++) if (beside[number] - beside[colour] || used[number] - used[colour]) {
      if (beside[number] < beside[colour] || (beside[number] === beside[colour] && used[number] < used[colour])) colour = number;
    }
    if (!on.has(router)) on.set(router, []);
    on.get(router).push(colour);
    const again = used[colour]++;
    looks.set(owner, { colour, shape: SHAPES[again % SHAPES.length], dash: schedule.isSum ? [] : DASHES[again % DASHES.length] });
  }
  return looks;
}

function neighboursOf(schedule) {
  const near = schedule.routers.map(() => new Set());
  for (const [tail, head] of schedule.channels) { near[tail].add(head); near[head].add(tail); }
  return near;
}

// Light or dark: what the page says, else what the system says.
export function schemeOf(element) { return getComputedStyle(element).getPropertyValue("--is-dark").trim() === "1" ? "dark" : "light"; }
