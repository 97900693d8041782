import { make } from "./panels.js";
import { mount } from "./player.js";
import { themeButton } from "./theme.js";

// The rows of an atlas, and the player of the one that is opened. The filters are in the address.

const FIELDS = ["network", "collective", "rules", "status"];
const USUAL = ["wormhole", "full duplex", "minimal routing", "no combining"];
const at = (id) => document.getElementById(id);
let turn = 0, player = null;

async function answered(response) {
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw new Error(answer.error || answer.detail || `The server answered ${response.status}.`);
}

function complain(text) {
  at("error").textContent = text;
  at("error").hidden = !text;
}

function query() {
  const filters = new URLSearchParams();
  for (const name of FIELDS) if (at(name).value.trim()) filters.set(name, at(name).value.trim());
  return filters;
}

async function list() {
  const mine = ++turn, filters = query();
  window.history.replaceState(null, "", `/atlas${filters.size ? `?${filters}` : ""}${window.location.hash}`);
  try {
    const found = await fetch(`/api/atlas?${filters}`).then(answered);
    if (mine !== turn) return;
    const shown = found.rows.length < found.total ? `, of which ${found.rows.length} are shown` : "";
    at("count").textContent = `${found.total.toLocaleString("en")} ${found.total === 1 ? "problem" : "problems"}${shown}.`;
    at("rows").tBodies[0].replaceChildren(...found.rows.map(line));
    complain("");
  } catch (error) { if (mine === turn) complain(error.message); }
}

function line(row) {
  const rules = row.rules.split(", ").filter((part) => !USUAL.includes(part)).join(", ") || row.rules;
  const collective = about.titles[row.collective] ?? row.collective;
  const cells = [row.network, collective, rules, row.bound ?? "-", row.steps === null ? "-" : `${row.steps}${row.rules.startsWith("tdm") ? " slots" : ""}`, row.status].map((text) => make("td", {}, String(text)));
  const open = make("button", { type: "button", "aria-label": `Open ${collective} on ${row.network}, ${rules}` }, "Open");
  open.disabled = row.steps === null;
  open.onclick = () => play(row.key);
  return make("tr", {}, ...cells, make("td", {}, open));
}

async function play(key) {
  window.history.replaceState(null, "", `${window.location.pathname}${window.location.search}#${key}`);
  player?.end();
  player = null;
  const stage = make("div");
  at("results").replaceChildren(make("article", { class: "result" }, stage,
    make("div", { class: "downloads" }, make("strong", {}, "Download"), make("a", { href: `/api/atlas/${key}/schedule.json`, download: "" }, "JSON"))));
  try {
    const contents = await fetch(`/api/atlas/${key}/contents`).then(answered);
    // Another row has been opened meanwhile, and stands here now.
    if (!stage.isConnected) return;
    player = mount(stage, contents);
    complain("");
    at("results").scrollIntoView({ block: "start" });
  } catch (error) {
    if (!stage.isConnected) return;
    at("results").replaceChildren();
    complain(error.message);
  }
}

themeButton(at("theme"));
const given = new URLSearchParams(window.location.search);
const about = await fetch("/api/about").then(answered);
at("collective").append(...about.collectives.map((kind) => make("option", { value: kind }, about.titles[kind.toUpperCase()])));
for (const name of FIELDS) if (given.get(name)) at(name).value = given.get(name);
let timer = 0;
for (const name of FIELDS) at(name).oninput = () => { clearTimeout(timer); timer = setTimeout(list, 250); };
at("filter").onsubmit = (event) => { event.preventDefault(); list(); };
await list();
if (/^#[0-9a-f]{64}$/.test(window.location.hash)) await play(window.location.hash.slice(1));
