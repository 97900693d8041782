import { make } from "./panels.js";

// Two results side by side: what differs between them, and players that show the same step.

const ROWS = [
  ["network", (job) => job.network],
  ["collective", (job) => job.collective ?? job.kind],
  ["rules", (job) => job.rules],
  ["steps", (job) => job.steps],
  ["ends after", (job) => job.finish_text],
  ["message times", (job) => job.message_times ?? job.steps],
  ["bound", (job) => job.bound_text ?? job.bound],
  ["status", (job) => job.status_text ?? job.status],
  ["transfers", (job) => job.transfers],
  ["total channel occupancy", (job) => job.tco],
  ["method", (job) => job.solver],
  ["settings", (job) => (job.asked.settings ?? []).join(", ")],
  ["seed", (job) => job.asked.seed],
  ["seconds", (job) => job.seconds],
];

// Figures of different networks or collectives are not subtracted.
export function differences(one, other) {
  const isSame = one.network === other.network && (one.collective ?? one.kind) === (other.collective ?? other.kind);
  const rows = ROWS.map(([name, read]) => [name, ...[one, other].map((job) => { const value = read(job); return value === null || value === undefined || value === "" ? "-" : value; })]);
  const differing = rows.filter(([, left, right]) => left !== right), same = rows.filter(([, left, right]) => left === right && left !== "-");
  const cell = (value) => (typeof value === "number" ? value.toLocaleString("en") : String(value));
  const title = (name) => (name === "steps" ? `${one.step_word ?? "step"}s` : name);
  const body = differing.map(([name, left, right]) => make("tr", {}, make("th", { scope: "row" }, title(name)), make("td", {}, cell(left)), make("td", {}, cell(right)),
    ...(isSame ? [make("td", {}, typeof left === "number" && typeof right === "number" ? `${right > left ? "+" : ""}${cell(Math.round((right - left) * 1000) / 1000)}` : "")] : [])));
  const head = make("tr", {}, ...["", "first", "second", ...(isSame ? ["difference"] : [])].map((text) => make("th", { scope: "col" }, text)));
  const table = differing.length ? make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)) : make("p", {}, "Nothing differs.");
  return make("div", { class: "differences" }, table, make("p", { class: "quiet" }, `The same: ${same.map(([name]) => name).join(", ") || "nothing"}.`));
}

// Whatever one player shows the other shows as well, as long as the box is checked.
export function linkOf(players) {
  const box = make("input", { type: "checkbox", checked: "" });
  players.forEach((player, number) => { player.moved = (step, progress) => { if (box.checked) players[1 - number].follow(step, progress); }; });
  return make("label", { class: "linked" }, box, "Linked: both show the same step");
}
