import { make } from "./panels.js";
import { themeButton } from "./theme.js";

// Networks side by side. A comparison is a job like any other search; its number stands in the address.

const FIELDS = ["networks", "processors", "degree", "collectives", "ports", "startup", "per_byte", "message_bytes", "seconds"];
const at = (id) => document.getElementById(id);
let watched = null, events = null, isSubmitted = false;

async function answered(response) {
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw new Error(answer.error || (Array.isArray(answer.detail) ? answer.detail.map((part) => `${part.loc.at(-1)}: ${part.msg}`).join("; ") : answer.detail) || `The server answered ${response.status}.`);
}

function complain(text) {
  at("error").textContent = text;
  at("error").hidden = !text;
}

function request() {
  const values = Object.fromEntries(FIELDS.map((name) => [name, at(name).value.trim()]).filter(([, text]) => text));
  if (values.seconds) values.seconds = Number(values.seconds);
  return values;
}

function show(outcome) {
  at("progress").textContent = "";
  complain(outcome.error || (outcome.interrupted ? "It was stopped: the table has what there was." : ""));
  if (!outcome.table) return;
  const [head, ...rows] = outcome.table;
  at("rows").tHead.replaceChildren(make("tr", {}, ...head.map((text) => make("th", {}, text))));
  at("rows").tBodies[0].replaceChildren(...rows.map((row, number) => make("tr", outcome.best[number] ? { class: "best" } : {}, ...row.map((text) => make("td", {}, text)))));
  at("legend").replaceChildren(...outcome.legend.map((text) => make("li", {}, text.replace(/ {2,}/, ": "))));
  at("picture").src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(outcome.picture)}`;
  at("rows").hidden = at("picture").hidden = false;
  at("hint").hidden = true;
}

function watch(number) {
  events?.close();
  watched = number;
  window.history.replaceState(null, "", `/compare#${number}`);
  at("cancel").hidden = false;
  events = new EventSource(`/api/jobs/${number}/events`);
  events.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.total) at("progress").textContent = `${event.done} of ${event.total} searches, ${event.proven} proven: ${event.last}`;
    else if (event.state === "waiting" || event.state === "running") at("progress").textContent = "searching";
    if (!event.state || event.state === "waiting" || event.state === "running") return;
    events.close();
    at("cancel").hidden = true;
    show(event);
  };
  events.onerror = () => { events.close(); at("cancel").hidden = true; complain("The server does not answer."); };
}

function open(number, known) {
  for (const name of FIELDS) if (known.asked[name]) at(name).value = known.asked[name];
  tick();
  if (known.state === "waiting" || known.state === "running") watch(number);
  else show(known);
}

at("form").onsubmit = async (event) => {
  event.preventDefault();
  isSubmitted = true;
  complain("");
  at("progress").textContent = "waiting";
  try {
    const { id } = await fetch("/api/compare", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request()) }).then(answered);
    watch(id);
  } catch (error) {
    at("progress").textContent = "";
    complain(error.message);
  }
};
at("cancel").onclick = () => fetch(`/api/jobs/${watched}`, { method: "DELETE" });
themeButton(at("theme"));
const about = await fetch("/api/about").then(answered);
const kinds = about.groups.flatMap(({ members }) => members).filter(({ takes }) => !takes.includes("pairs") && !takes.includes("senders"));
at("kinds").append(...kinds.map(({ value, name }) => make("label", {}, make("input", { type: "checkbox", value }), name)));
const boxes = [...at("kinds").querySelectorAll("input")];
const tick = () => { const chosen = at("collectives").value.split(",").map((name) => name.trim()); for (const box of boxes) box.checked = chosen.includes(box.value); };
at("kinds").onchange = () => { at("collectives").value = boxes.filter((box) => box.checked).map((box) => box.value).join(","); };
tick();
// A comparison of the address that comes after another request is not shown.
const number = window.location.hash.slice(1);
if (/^[\w-]{6,40}$/.test(number)) {
  try {
    const known = await fetch(`/api/jobs/${number}`).then(answered);
    if (!isSubmitted) open(number, known);
  } catch (error) { if (!isSubmitted) complain(error.message); }
}
