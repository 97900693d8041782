import { make } from "./panels.js";
import { mount } from "./player.js";

// A schedule in the player, with its files to download.

let player = null;

export function clear(root) {
  player?.end();
  player = null;
  root.replaceChildren();
}

// A schedule file that the server has judged.
export function open(root, contents) {
  clear(root);
  const stage = make("div");
  root.append(make("article", { class: "result" }, stage));
  player = mount(stage, contents);
}

// A finished search.
export async function show(root, path, state, answered) {
  clear(root);
  const stage = make("div"), box = make("article", { class: "result" }, ...(state.notes ?? []).map((note) => make("p", { class: "note" }, `Note: ${note}`)), stage);
  root.append(box);
  try {
    const contents = await fetch(`${path}/contents`).then(answered);
    if (stage.isConnected) player = mount(stage, contents);
  } catch (error) { stage.prepend(make("p", { class: "wrong" }, error.message)); }
  const formats = await fetch(`${path}/files`).then(answered);
  // Files of the page's own have an ending; the others are formats of other programs.
  const [own, others] = [true, false].map((isOwn) => formats.filter(({ name }) => name.includes(".") === isOwn));
  const choice = make("select", { "aria-label": "Download in another format" }, make("option", { value: "" }, "more formats"),
    ...others.map(({ name, about }) => make("option", { value: name }, `${name}: ${about}`)));
  choice.onchange = () => { if (choice.value) window.location.assign(`${path}/files/${choice.value}`); };
  box.append(make("div", { class: "downloads" }, make("strong", {}, "Download"),
    ...own.map(({ name }) => make("a", { href: `${path}/files/${name}`, download: "" }, name)), choice));
}
