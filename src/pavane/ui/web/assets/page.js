import { Chooser } from "./chooser.js";
import { CollectiveChoice } from "./collective.js";
import { schemeOf } from "./colours.js";
import { make } from "./panels.js";
import { otherTheme } from "./player.js";
import { clear, open, show } from "./results.js";

// The page: a form, one search to watch, its result to play. The address has the form and the number of the search.

const at = (id) => document.getElementById(id);
const form = at("form"), fields = form.elements;
const THEME = "pavane-theme";
const MOST_IN_ADDRESS = 1_500;
// Schedules, tables and timed schedules are judged and played; networks and problems are drawn.
const SCHEDULE = /^\s*\{(?=[^]*"format"\s*:\s*"pavane\/(?:schedule|table|timed)\/)(?=[^]*"(?:steps|transfers)"\s*:)/;
let file = null, previewing = 0, events = null;

async function answered(response) {
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw Object.assign(new Error(answer.error ?? `The server answered ${response.status}.`), { field: answer.field });
}

const post = (path, body = {}) => fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })
  .catch(() => { throw new Error("The server cannot be reached."); }).then(answered);

// One line at the network or at the button; the field that it is about is marked, and its fold opened.
function complain(id, text = "", name = null) {
  at(id).textContent = text;
  at(id).hidden = !text;
  for (const marked of form.querySelectorAll(`[aria-describedby="${id}"]`)) { marked.removeAttribute("aria-invalid"); marked.removeAttribute("aria-describedby"); }
  const field = text && (id === "network-error" && file ? at("file") : name && fields[name]);
  if (!field) return;
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", id);
  const fold = field.closest("details");
  if (fold) fold.open = true;
}

const valueOf = (field) => (field.type !== "checkbox" ? field.value.trim() : field.checked ? field.value : "");
const named = (root) => [...root.querySelectorAll("[name]:not([name=role])")].filter((field) => !field.matches(":disabled"));

function request() {
  const given = Object.fromEntries(named(form).map((field) => [field.name, valueOf(field)]).filter(([, value]) => value));
  return file ? { ...given, ...file } : given;
}

// What differs from the empty form, in the line of each fold and in the address.
const isChanged = (field) => valueOf(field) !== usual.get(field.name);
function summarise() {
  at("slots").hidden = at("slots").disabled = fields.switching.value !== "tdm";
  for (const fold of form.querySelectorAll("details")) {
    const values = named(fold).filter(isChanged).map((field) => `${field.closest("label").firstElementChild.textContent.toLowerCase()} ${field.type === "checkbox" ? "" : valueOf(field).slice(0, 40)}`.trim());
    fold.querySelector("summary span").textContent = values.join(", ") || "defaults";
  }
  chooser.draw();
}

async function preview() {
  const turn = ++previewing;
  try {
    const drawn = await post("/api/networks/preview", { ...(file ?? { network: fields.network.value }), nodes: fields.nodes.value.trim() || null });
    if (turn !== previewing) return;
    chooser.show(drawn);
    complain("network-error");
  } catch (error) {
    if (turn !== previewing) return;
    chooser.clear();
    complain("network-error", error.message, error.field ?? "network");
  }
}

async function takeFile() {
  const [chosen] = at("file").files;
  if (!chosen) return;
  if (chosen.size > about.most_bytes) { complain("network-error", `${chosen.name}: ${chosen.size.toLocaleString("en")} bytes; give at most ${about.most_bytes.toLocaleString("en")}`); return; }
  file = { file: await chosen.text(), name: chosen.name };
  const drop = make("button", { type: "button" }, "use the family instead");
  drop.onclick = () => {
    file = null;
    at("file").value = "";
    at("file-name").hidden = true;
    fields.network.disabled = false;
    preview();
  };
  at("file-name").replaceChildren(`from ${chosen.name} `, drop);
  at("file-name").hidden = false;
  fields.network.disabled = true;
  if (!SCHEDULE.test(file.file)) { preview(); return; }
  await preview();
  try { open(at("result"), await post("/api/schedules/judge", file)); } catch (error) { complain("network-error", error.message); }
}

async function submit(event) {
  event.preventDefault();
  complain("error");
  at("make").disabled = true;
  try {
    const { id } = await post("/api/searches", request());
    const query = new URLSearchParams(named(form).filter((field) => isChanged(field) && valueOf(field).length < MOST_IN_ADDRESS).map((field) => [field.name, valueOf(field)]));
    window.history.replaceState(null, "", `/${query.size ? `?${query}` : ""}#${id}`);
    watch(id);
  } catch (error) {
    complain("error", error.message, error.field);
    at("make").disabled = false;
  }
}

function progressText({ compiling, activity, num_steps: steps, step_word: word = "step", best, bound, conflicts, seconds, seconds_left: left }) {
  if (compiling) return "Compiling, which happens once.";
  if (!activity) return "Searching.";
  return `${activity}: trying ${steps ?? "the fewest"} ${word}s${conflicts == null ? "" : `, ${conflicts} conflicts`}; best so far ${best ?? "none"}, bound ${bound ?? "unknown"}; ${seconds.toFixed(1)} s${left == null ? "" : `, ${Math.round(left)} s left`}.`;
}

function watch(id) {
  const path = `/api/searches/${id}`;
  clear(at("result"));
  at("running").hidden = false;
  at("make").disabled = true;
  at("progress").textContent = "Searching.";
  at("outcome").scrollIntoView({ block: "start" });
  at("stop").onclick = () => { at("progress").textContent = "Stopping; once more ends it at once."; post(`${path}/stop`); };
  const over = (text, field) => {
    events.close();
    at("running").hidden = true;
    at("make").disabled = false;
    complain("error", text, field);
  };
  events = new EventSource(`${path}/events`);
  events.onmessage = (message) => {
    const state = JSON.parse(message.data);
    if (state.state === "running") { at("progress").textContent = progressText(state); return; }
    over(state.error, state.field);
    if (state.has_schedule) show(at("result"), path, state, answered).then(() => at("result").scrollIntoView({ block: "start" }), (error) => complain("error", error.message));
  };
  events.onerror = () => { if (events.readyState === EventSource.CLOSED) over("This search is not on the server any more."); };
}

// Light or dark, which the browser remembers.
function themeButton(button) {
  const name = () => { button.textContent = schemeOf(document.body) === "dark" ? "Light mode" : "Dark mode"; };
  const stored = localStorage.getItem(THEME);
  if (stored) document.documentElement.dataset.theme = stored;
  button.onclick = () => { otherTheme(); localStorage.setItem(THEME, document.documentElement.dataset.theme); name(); };
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  name();
}

themeButton(at("theme"));
const chooser = new Chooser(at("preview"), at("preview-text"), fields, (isRefused) => { choice.hint(isRefused); summarise(); });
const about = await fetch("/api/about").then(answered);
at("families").append(...about.families.map((family) => make("option", { value: family.example }, `${family.usage}: ${family.about}`)));
fields.method.append(...about.methods.map((name) => make("option", { value: name }, name)));
const choice = new CollectiveChoice(at, fields, chooser, about.groups);
const usual = new Map([...form.querySelectorAll("[name]")].map((field) => [field.name, valueOf(field)]));
for (const [name, value] of new URLSearchParams(window.location.search)) {
  const field = usual.has(name) && fields[name];
  if (field?.type === "checkbox") field.checked = value === field.value; else if (field) field.value = value;
}
if (!fields.collective.value) fields.collective.value = usual.get("collective");
choice.changed();
summarise();

let timer = 0;
for (const name of ["network", "nodes"]) fields[name].oninput = () => { clearTimeout(timer); timer = setTimeout(preview, 350); };
at("file").onchange = takeFile;
form.addEventListener("input", summarise);
form.onsubmit = submit;
at("make").disabled = false;
if (at("file").files.length) await takeFile(); else preview();
const known = window.location.hash.slice(1) || about.running;
if (known) watch(known);
