import { Chooser } from "./chooser.js";
import { CollectiveChoice } from "./collective.js";
import { drawCurve } from "./curve.js";
import { Earlier } from "./earlier.js";
import { make } from "./panels.js";
import { isSolved, open, show } from "./results.js";
import { themeButton } from "./theme.js";

// The page: a form, a search to watch, results to play. All state that matters is in the address and on the server.

const FIELDS = ["network", "collective", "root", "senders", "receivers", "pairs", "pieces", "sizes", "groups", "collectives", "goal", "faults", "nodes", "switching", "switches", "ports", "duplex", "routing", "router_delay", "link_delay", "packet_slots", "message_bytes", "bandwidth", "latency", "overhead", "method", "settings", "schedule_form", "steps", "seed", "seconds"];
const at = (id) => document.getElementById(id);
// Fields that only tdm has, and all that a complaint may be about, with what it calls them; it stands at the first.
const OF_SLOTS = ["router_delay", "link_delay", "packet_slots", "wrap"];
const WORDS = { sizes: "sizes?", pieces: "pieces", root: "root", senders: "senders", receivers: "receivers", pairs: "pairs?", faults: "faults?|faulty", settings: "settings?", groups: "groups?", collectives: "and also", goal: "goal", bandwidth: "bandwidth", latency: "latency", overhead: "overhead", seed: "seed",
  switches: "switches", ports: "ports", duplex: "duplex", multicast: "multicast", combining: "combining", ...Object.fromEntries(OF_SLOTS.map((name) => [name, name.replace("_", "[ _]")])) };
const given = Object.fromEntries(FIELDS.map((name) => [name, null]));
const MOST_SIZES = 200_000, MOST_SIZES_IN_ADDRESS = 1_500;
let file = null, watching = null, previewing = 0, turns = 0;

const CHOSEN = ["root", "senders", "receivers", "pairs", "faults"];
const chooser = new Chooser(at("preview"), at("preview-text"), (name, text) => {
  if (name) at(name).value = text;
  choice?.hint(!name);
});
let choice = null;
// A JSON object with a problem and steps, or start times.
const SCHEDULE = /^\s*\{(?=[^]*"problem"\s*:)(?=[^]*"(?:steps|transfers)"\s*:\s*\[)/;

async function answered(response) {
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw new Error(answer.error || (Array.isArray(answer.detail) ? answer.detail.map((part) => `${part.loc.at(-1)}: ${part.msg}`).join("; ") : answer.detail) || `The server answered ${response.status}.`);
}

const post = (path, body) => fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }).then(answered);

// A complaint stands below its field, which is marked; one about no single field stands beside the button.
function complain(about, text) {
  if (about === "network") {
    const field = at(file ? "file" : "network");
    for (const other of [at("network"), at("file"), at("nodes")]) mark(other, "network-error", Boolean(text) && other === field);
    at("network-error").textContent = text;
    at("network-error").hidden = !text;
    (file ? at("file-name") : at("network").closest("label")).after(at("network-error"));
    return;
  }
  const meant = text ? Object.keys(WORDS).filter((name) => new RegExp(`\\b(?:${WORDS[name]})\\b`, "i").test(text)) : [];
  for (const name of Object.keys(WORDS)) mark(at(name), "error", meant.includes(name));
  at("error").textContent = text;
  at("error").hidden = !text;
  const field = meant.find((name) => !at(name).closest("label").hidden), fold = field && at(field).closest("details");
  if (fold) fold.open = true;
  if (field) at(field).closest("label").after(at("error"));
  else document.querySelector(".go").append(at("error"));
  if (field) at("error").scrollIntoView({ block: "nearest" });
}

function mark(field, error, isMeant) {
  field.setAttribute("aria-invalid", String(isMeant));
  if (isMeant) field.setAttribute("aria-describedby", error); else field.removeAttribute("aria-describedby");
}

// The values of the fields in each fold, in one line.
function summarise() {
  for (const fold of document.querySelectorAll("#form details")) {
    const values = [...fold.querySelectorAll("label:not([hidden])")].flatMap((label) => {
      const field = label.querySelector("input:not([type=file]), select, textarea"), name = label.firstElementChild.textContent.toLowerCase();
      if (!field) return [];
      if (field.type === "checkbox") return field.checked ? [name] : [];
      if (field.tagName === "SELECT" && !field.value) return field.id === "switching" ? ["default switching"] : [];
      if (field.tagName === "SELECT") return [field.id === "switching" || field.id === "method" ? field.value : `${field.value} ${name}`];
      if (field.id === "ports") return [`${field.value.trim() || "all"}-port`];
      return field.value.trim() ? [`${name} ${field.value.trim().slice(0, 40)}`] : [];
    });
    const line = fold.querySelector("summary span");
    line.textContent = values.join(", ") || line.dataset.usual;
  }
}

const hasSlots = () => at("switching").value === "tdm";

// The settings of slots are shown where there are slots.
function foldSlots() {
  for (const name of OF_SLOTS) at(name).parentElement.hidden = !hasSlots();
  at("steps-word").textContent = hasSlots() ? "Slots" : "Steps";
  summarise();
}

async function preview() {
  const turn = ++previewing;
  const nodes = at("nodes").value.trim() || null;
  const chosen = file ? { file: file.text, name: file.name, nodes } : { network: at("network").value, nodes };
  try {
    const drawn = await post("/api/networks/preview", chosen);
    if (turn !== previewing) return;
    chooser.show(drawn);
    complain("network", "");
  } catch (error) {
    if (turn !== previewing) return;
    chooser.clear();
    complain("network", error.message);
  }
}

async function take(chosen) {
  if (!chosen) return;
  if (chosen.size > about.limits.upload) { complain("network", `${chosen.name}: ${chosen.size.toLocaleString("en")} bytes are too many; at most ${about.limits.upload.toLocaleString("en")} are read`); return; }
  file = { name: chosen.name, text: await chosen.text() };
  at("file-name").textContent = `from ${chosen.name} `;
  const drop = make("button", { type: "button" }, "use the family instead");
  drop.onclick = () => { dropFile(); preview(); };
  at("file-name").append(drop);
  at("network").disabled = true;
  at("file-name").hidden = false;
  preview();
  if (SCHEDULE.test(file.text)) await openSchedule();
}

// A schedule file is judged and played, and its network is taken for the next search.
async function openSchedule() {
  try {
    open(at("results"), await post("/api/schedules/judge", { file: file.text, name: file.name }));
    at("results").scrollIntoView({ block: "nearest" });
  } catch (error) {
    complain("network", error.message);
  }
}

function dropFile() {
  file = null;
  at("file").value = "";
  at("file-name").hidden = true;
  at("network").disabled = false;
}

async function takeSizes() {
  const chosen = at("sizes-file").files[0];
  if (!chosen) return;
  if (chosen.size > MOST_SIZES) complain("search", `${chosen.name}: ${chosen.size.toLocaleString("en")} bytes are too many for sizes; at most ${MOST_SIZES.toLocaleString("en")} are read`);
  else { complain("search", ""); at("sizes").value = await chosen.text(); summarise(); }
  at("sizes-file").value = "";
}

function request() {
  const text = (name) => at(name).value.trim();
  const number = (name) => (text(name) === "" ? null : Number(text(name)));
  const parts = (name) => text(name).split(",").map((part) => part.trim()).filter(Boolean);
  return {
    ...(file ? { file: file.text, name: file.name } : { network: text("network") }),
    nodes: text("nodes") || null,
    collective: text("collective"), switching: text("switching") || null, switches: text("switches") || null, ports: text("ports") || "all", duplex: text("duplex"), routing: text("routing"),
    ...(hasSlots() ? { router_delay: text("router_delay") || null, link_delay: text("link_delay") || null, packet_slots: text("packet_slots") || null, no_wrap: !at("wrap").checked } : {}),
    combining: at("combining").checked, multicast: at("multicast").checked, root: text("root") || null, senders: text("senders") || null, receivers: text("receivers") || null, pairs: text("pairs") || null,
    pieces: text("pieces") || null, sizes: text("sizes") || null,
    groups: text("groups"), collectives: text("collectives").split(/\s+/).filter(Boolean), goal: text("goal"),
    faults: parts("faults"), method: text("method"), settings: parts("settings"), schedule_form: text("schedule_form"),
    message_bytes: text("message_bytes"), bandwidth: text("bandwidth"), latency: text("latency"), overhead: text("overhead"), steps: number("steps"), seed: number("seed") ?? 0, seconds: number("seconds"),
  };
}

// The address that fills the form in the same way; a file or a large table is too long for it, so that one leads to the
// stored result.
function link(job) {
  const from = job.asked;
  if (from.file || from.sizes?.length > MOST_SIZES_IN_ADDRESS) return `/#job=${job.id}`;
  const query = new URLSearchParams();
  for (const name of FIELDS) {
    const value = Array.isArray(from[name]) ? from[name].join(name === "collectives" ? " " : ", ") : from[name];
    if (value !== null && value !== undefined && value !== "" && String(value) !== given[name]) query.set(name, value);
  }
  if (from.combining) query.set("combining", "1");
  if (from.multicast) query.set("multicast", "1");
  if (from.no_wrap) query.set("no_wrap", "1");
  return `/?${query}#job=${job.id}`;
}

async function watch(number, isWanted = () => true) {
  window.history.replaceState(null, "", `${window.location.pathname}${window.location.search}#job=${number}`);
  at("running").hidden = false;
  at("make").disabled = true;
  at("results").replaceChildren();
  at("outcome").scrollIntoView({ block: "start" });
  at("progress").textContent = "Waiting for its turn.";
  const seen = [];
  drawCurve(at("curve"), []);
  watching = { number, events: new EventSource(`/api/jobs/${number}/events`) };
  const over = () => {
    watching?.events.close();
    watching = null;
    at("running").hidden = true;
    at("make").disabled = false;
  };
  watching.events.onmessage = async (message) => {
    const event = JSON.parse(message.data);
    if (["done", "failed", "cancelled", "lost"].includes(event.state)) {
      over();
      try {
        const job = await fetch(`/api/jobs/${number}`).then(answered);
        if (!isWanted()) return;
        if (job.error && !isSolved(job)) complain("search", job.error);
        else if (job.state === "lost") complain("search", "The server stopped before this search ended; make it again.");
        await show(at("results"), [job], link);
        at("results").scrollIntoView({ block: "start" });
      } catch (error) { complain("search", error.message); }
      list();
      return;
    }
    if (event.solver) {
      seen.push(event);
      const tried = event.tried === null ? `the fewest ${hasSlots() ? "slots" : "steps"}` : `${event.tried} ${hasSlots() ? "slots" : "steps"}`;
      const left = event.seconds_left === null ? "" : `, ${Math.round(event.seconds_left)} s left`;
      const conflicts = event.conflicts === undefined || event.conflicts === null ? "" : `, ${event.conflicts} conflicts`;
      at("progress").textContent = `${event.solver}: trying ${tried}${conflicts}; best so far ${event.best ?? "none"}, bound ${event.bound ?? "unknown"}; ${event.seconds} s${left}.`;
      drawCurve(at("curve"), seen, hasSlots() ? "slot" : "step");
    } else if (event.state === "running") at("progress").textContent = "Searching.";
  };
  watching.events.onerror = () => { if (watching?.events.readyState === EventSource.CLOSED) { over(); complain("search", "The server cannot be reached."); } };
}

async function list() { earlier.show(await fetch("/api/jobs").then(answered)); }

const jobNumbered = (number) => fetch(`/api/jobs/${number}`).then(answered);
const earlier = new Earlier(at("earlier"), at("jobs"), {
  open: async (number) => {
    turns += 1;
    complain("search", "");
    try { await show(at("results"), [await jobNumbered(number)], link); at("results").scrollIntoView({ block: "start" }); } catch (error) { complain("search", error.message); }
  },
  compare: async (two) => {
    turns += 1;
    try { await show(at("results"), await Promise.all(two.map(jobNumbered)), link); at("results").scrollIntoView({ block: "start" }); } catch (error) { complain("search", error.message); }
  },
  failed: (text) => complain("search", text),
});

// Everything as it was when the page came, and then as an example says.
function fill(example) {
  if (file) dropFile();
  for (const name of FIELDS) if (name !== "collective") at(name).value = example[name] ?? given[name];
  at("combining").checked = Boolean(example.combining);
  at("multicast").checked = Boolean(example.multicast);
  at("wrap").checked = !example.no_wrap;
  foldSlots();
  choice.set(example.collective);
  for (const name of CHOSEN) chooser.read(name, at(name).value);
}

async function submit() {
  complain("search", "");
  try {
    const { id } = await post("/api/jobs", request());
    turns += 1;
    await watch(id);
  } catch (error) { complain("search", error.message); }
}

themeButton(at("theme"));
const query = new URLSearchParams(window.location.search);
for (const name of FIELDS) given[name] = at(name).value;
for (const name of ["network", "nodes"]) if (query.has(name)) at(name).value = query.get(name);
// The network is drawn at once. What is typed or chosen before the next answer is read after it.
if (!at("file").files.length) preview();
const about = await fetch("/api/about").then(answered);

let timer = 0;
for (const name of ["network", "nodes"]) at(name).oninput = () => { clearTimeout(timer); timer = setTimeout(preview, 350); };
at("file").onchange = () => take(at("file").files[0]);
at("sizes-file").onchange = takeSizes;
at("switching").onchange = foldSlots;
for (const name of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(name, (event) => {
    event.preventDefault();
    at("drop").classList.toggle("over", name === "dragover");
    if (name === "drop") take(event.dataTransfer.files[0]);
  });
}
for (const name of CHOSEN) at(name).onchange = () => chooser.read(name, at(name).value);
at("form").addEventListener("input", summarise);
at("cancel").onclick = () => { if (watching) { at("progress").textContent = "Stopping."; fetch(`/api/jobs/${watching.number}`, { method: "DELETE" }); } };
at("form").onsubmit = (event) => { event.preventDefault(); submit(); };

at("families").append(...about.families.map((family) => make("option", { value: family.example }, `${family.usage}: ${family.about}`)));
choice = new CollectiveChoice(at, chooser, about);
at("examples").append(...about.examples.map((example) => {
  const button = make("button", { type: "button" }, make("strong", {}, example.title), make("span", {}, example.about));
  button.onclick = () => { fill(example.request); preview(); if (!at("make").disabled) submit(); };
  return button;
}));
at("method").append(...about.methods.map((name) => make("option", { value: name }, name)));
at("limits").textContent = `At most ${about.limits.seconds} s a search, ${about.limits.messages.toLocaleString("en")} deliveries of messages or pieces unless a table gives them, files of ${about.limits.upload.toLocaleString("en")} bytes, ${about.limits.waiting} searches waiting.`;
Object.assign(given, { collective: "aas", method: at("method").value });
for (const name of FIELDS) if (query.has(name) && !["collective", "network", "nodes"].includes(name)) at(name).value = query.get(name);
choice.set(query.get("collective") ?? "aas");
at("combining").checked = query.get("combining") === "1";
at("multicast").checked = query.get("multicast") === "1";
at("wrap").checked = query.get("no_wrap") !== "1";
foldSlots();
for (const name of CHOSEN) chooser.read(name, at(name).value);
await takeSizes();
at("make").disabled = false;
if (at("file").files.length) await take(at("file").files[0]);
const known = /^#job=([\w-]+)$/.exec(window.location.hash);
// A result that comes after another request is not shown.
if (known && !turns) await watch(known[1], () => !turns);
list();
