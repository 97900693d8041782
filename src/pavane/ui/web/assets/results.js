import { drawCurve } from "./curve.js";
import { differences, linkOf } from "./differences.js";
import { make } from "./panels.js";
import { mount } from "./player.js";

// Finished jobs: the player with what can be downloaded, one, or two side by side; of a front every schedule.

const DOWNLOADS = [["schedule.json", "JSON"], ["transfers.csv", "CSV"], ["schedule.svg", "SVG"], ["player.html", "HTML player"], ["paths.txt", "text"]];
// Those that need no list of all transfers.
const OF_LARGE_TABLES = ["schedule.json", "player.html"];

// Of start times a Gantt chart is drawn, and no list of steps is written; nor of several collectives.
const OF_TIMES = ["schedule.json", "schedule.svg", "player.html"];

let mounted = [];

// Whether a job has a schedule, of steps or of start times.
export function isSolved(job) { return typeof job.steps === "number" || typeof job.finish === "number"; }

export async function show(root, jobs, link) {
  mounted.forEach((player) => player.end());
  mounted = [];
  root.replaceChildren();
  root.classList.toggle("two", jobs.length === 2);
  const comparison = jobs.length === 2 ? compared(...jobs) : "";
  if (comparison) root.append(make("p", { class: "compared" }, comparison));
  const table = jobs.length === 2 ? differences(...jobs) : null;
  if (table) root.append(table);
  for (const job of jobs) {
    const box = make("article", { class: "result" });
    root.append(box);
    for (const note of job.notes ?? []) box.append(make("p", {}, make("span", { class: "note" }, `Note: ${note}`)));
    if (!isSolved(job)) unsolved(box, job);
    else await solved(box, job, link(job), job.front ? job.point : null);
    // Another result has taken its place meanwhile.
    if (!box.isConnected) return;
  }
  if (table && mounted.length === 2 && !jobs.some((job) => job.finish)) table.append(linkOf(mounted));
}

// A schedule from a file, which the server has judged.
export function open(root, contents) {
  mounted.forEach((player) => player.end());
  const stage = make("div");
  root.classList.remove("two");
  root.replaceChildren(make("article", { class: "result" }, stage));
  mounted = [mount(stage, contents)];
}

// A search without a schedule still has its bound, and a curve of how it went.
function unsolved(box, job) {
  box.append(make("p", { class: "bad" }, job.error || `No schedule was found. Status: ${job.status || job.state}.`));
  if (typeof job.bound === "number") box.append(make("p", {}, `No schedule has fewer than ${job.bound} ${job.step_word ?? "step"}${job.bound === 1 ? "" : "s"}${job.why ? `: ${job.why}` : ""}.`));
  if (!job.curve?.length) return;
  const canvas = make("canvas", { class: "curve", role: "img", "aria-label": "How the search went" });
  box.append(canvas);
  new ResizeObserver(() => { if (canvas.isConnected) drawCurve(canvas, job.curve, job.step_word); }).observe(canvas);
}

// Another schedule of the front may be chosen before the answers come: then this one's stage is gone, and late answers
// are dropped.
async function solved(box, job, link, point) {
  const query = point === null ? "" : `?point=${point}`, stage = make("div");
  const parts = [stage];
  let mine = null;
  const again = async (other) => {
    mounted = mounted.filter((player) => player !== mine);
    mine?.end();
    parts.forEach((part) => part.remove());
    await solved(box, job, link, other);
  };
  if (job.front) parts.unshift(frontTable(job, point, again));
  box.append(...parts);
  // Of a large table only a part is here; another router or step is fetched when it is looked for.
  const shown = {};
  const look = async (elsewhere = {}) => {
    Object.assign(shown, elsewhere);
    const wanted = new URLSearchParams(query.slice(1));
    for (const name of ["router", "step"]) if (shown[name]) wanted.set(name, shown[name]);
    const answer = await fetch(`/api/jobs/${job.id}/contents${wanted.size ? `?${wanted}` : ""}`);
    const contents = await answer.json();
    if (!stage.isConnected) return;
    if (!answer.ok) { stage.prepend(make("p", { class: "bad" }, contents.error || "The schedule cannot be read.")); return; }
    mounted = mounted.filter((player) => player !== mine);
    mine?.end();
    mounted.push(mine = mount(stage, contents, contents.window ? look : null));
  };
  await look();
  if (!stage.isConnected) return;
  const line = await downloads(job, query, link, Boolean(mine?.schedule.window));
  if (!stage.isConnected) return;
  parts.push(line);
  box.append(line);
}

// Each schedule of a front: none is better than another in both figures, and which is the fastest depends on the size of
// messages.
function frontTable(job, point, open) {
  const size = (value) => (value.toLocaleString("en", { maximumSignificantDigits: 3 }));
  const rows = job.front.map((entry, number) => {
    const button = make("button", { type: "button" }, number === point ? "Shown" : "Show");
    button.disabled = number === point;
    button.onclick = () => open(number);
    return make("tr", { "aria-current": number === point ? "true" : null },
      make("td", {}, `${entry.start_ups}${entry.optimal_start_ups ? " (fewest)" : ""}`), make("td", {}, `${entry.tco}${entry.optimal_tco ? " (least)" : ""}`),
      make("td", {}, entry.fastest ? (entry.fastest[1] === null ? `${size(entry.fastest[0])} and more` : `${size(entry.fastest[0])} and ${size(entry.fastest[1])}`) : "never"), make("td", {}, entry.solver), make("td", {}, button));
  });
  const head = ["start-ups", "total channel occupancy", "fastest when message time / start-up is between", "method", ""].map((text) => make("th", { scope: "col" }, text));
  return make("div", { class: "points" }, make("table", { class: "front" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)));
}

// Steps of different numbers of pieces are not to be compared; message times, steps by pieces, are.
function compared(one, other) {
  if (!one.steps || !other.steps || (one.pieces ?? 1) === (other.pieces ?? 1)) return "";
  const stepsText = ({ steps, step_word: word, pieces, message_times: times }) => `${steps} ${word ?? "step"}s of ${pieces ?? 1} ${(pieces ?? 1) === 1 ? "piece" : "pieces"} a message are ${times ?? steps} message times`;
  const [left, right] = [one, other].map((job) => job.steps / (job.pieces ?? 1));
  const isSame = one.kind === other.kind && one.network === other.network && one.parts === other.parts;
  const which = left === right ? "both take as long" : `the ${left < right ? "first" : "second"} takes ${Math.round(100 - 100 * Math.min(left, right) / Math.max(left, right))} % less`;
  return `${stepsText(one)}; ${stepsText(other)}${isSame ? `: ${which}` : ""}.`;
}

async function downloads(job, query, link, isLargeTable) {
  const offered = job.finish || job.collectives ? OF_TIMES : isLargeTable ? OF_LARGE_TABLES : DOWNLOADS.map(([name]) => name);
  const exports = await fetch(`/api/jobs/${job.id}/exports${query}`).then((answer) => (answer.ok ? answer.json() : []));
  const line = make("div", { class: "downloads" }, make("strong", {}, "Download"),
    ...DOWNLOADS.filter(([name]) => offered.includes(name)).map(([name, text]) => make("a", { href: `/api/jobs/${job.id}/${name}${query}`, download: "" }, text)));
  if (exports.length) {
    const choice = make("select", { "aria-label": "Download in another format" }, make("option", { value: "" }, "more formats"),
      ...exports.map(({ name, about }) => make("option", { value: name }, `${name}: ${about}`)));
    choice.onchange = () => { if (choice.value) window.location.assign(`/api/jobs/${job.id}/exports/${choice.value}${query}`); };
    line.append(choice);
  }
  if (link) line.append(copied(link));
  return line;
}

// A link that a click copies; where that is not allowed, it is followed.
function copied(link) {
  const anchor = make("a", { href: link, class: "again", title: "The address that makes it again" }, "Copy link");
  anchor.onclick = (event) => {
    if (!navigator.clipboard) return;
    event.preventDefault();
    navigator.clipboard.writeText(anchor.href).then(() => { anchor.textContent = "Copied"; }, () => window.location.assign(link));
  };
  return anchor;
}
