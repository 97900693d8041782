import { make, mount } from "./player.js";

// Finished jobs: the player with what can be taken away, one, or two side by side.

const DOWNLOADS = [["schedule.json", "JSON"], ["transfers.csv", "CSV"], ["schedule.svg", "SVG"], ["player.html", "HTML player"], ["paths.txt", "text"]];

let mounted = [];

export async function show(root, jobs, link) {
  mounted.forEach((player) => player.end());
  mounted = [];
  root.replaceChildren();
  root.classList.toggle("two", jobs.length === 2);
  const comparison = jobs.length === 2 ? compared(...jobs) : "";
  if (comparison) root.append(make("p", { class: "compared" }, comparison));
  for (const job of jobs) {
    const box = make("article", { class: "result" });
    root.append(box);
    if (job.steps === null || job.steps === undefined) {
      box.append(make("p", { class: "downloads bad" }, job.error || `No schedule was found. Status: ${job.status || job.state}.`));
      continue;
    }
    const stage = make("div");
    box.append(stage, await taken(job, link(job)));
    const answer = await fetch(`/api/jobs/${job.id}/contents`);
    if (answer.ok) mounted.push(mount(stage, await answer.json()));
    else stage.append(make("p", { class: "bad" }, (await answer.json()).error || "The schedule cannot be read."));
  }
}

// Steps of different numbers of pieces are not to be compared; message times, steps by pieces, are.
function compared(one, other) {
  if (!one.steps || !other.steps || (one.pieces ?? 1) === (other.pieces ?? 1)) return "";
  const told = ({ steps, pieces, message_times: times }) => `${steps} steps of ${pieces ?? 1} ${(pieces ?? 1) === 1 ? "piece" : "pieces"} a message are ${times ?? steps} message times`;
  const [left, right] = [one, other].map((job) => job.steps / (job.pieces ?? 1));
  const isSame = one.kind === other.kind && one.network === other.network && one.parts === other.parts;
  const which = left === right ? "both take as long" : `the ${left < right ? "first" : "second"} takes ${Math.round(100 - 100 * Math.min(left, right) / Math.max(left, right))} % less`;
  return `${told(one)}; ${told(other)}${isSame ? `: ${which}` : ""}.`;
}

async function taken(job, link) {
  const exports = await fetch(`/api/jobs/${job.id}/exports`).then((answer) => (answer.ok ? answer.json() : []));
  const line = make("div", { class: "downloads" }, make("strong", {}, "Take away"),
    ...DOWNLOADS.map(([name, text]) => make("a", { href: `/api/jobs/${job.id}/${name}`, download: "" }, text)));
  if (exports.length) {
    const choice = make("select", { "aria-label": "Export" }, make("option", { value: "" }, "more formats"),
      ...exports.map(({ name, about }) => make("option", { value: name }, `${name}: ${about}`)));
    choice.onchange = () => { if (choice.value) window.location.assign(`/api/jobs/${job.id}/exports/${choice.value}`); };
    line.append(choice);
  }
  if (link) line.append(make("a", { href: link, class: "again" }, "Link that makes it again"));
  return line;
}
