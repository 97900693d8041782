import { Schedule } from "./schedule.js";
import { Scene } from "./scene.js";
import { channelStory, counted, found, messageStory, routerStory, stepStory } from "./stories.js";

// The player: a scene, a timeline, controls, and sentences about whatever is pointed at.

const STEP_SECONDS = 1.6;
const LARGEST_TABLE = 64;
const MOST_PIECES_LISTED = 256;
let numbersGiven = 0;

export function mount(root, told) {
  const schedule = new Schedule(told);
  const view = build(root, schedule);
  const scene = new Scene(view.canvas, schedule);
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const state = { step: 0, progress: 1, playing: false, speed: 1, last: 0, origin: null, target: null, piece: null, pinned: null };
  const kept = (transfer) => schedule.matches(transfer, state.origin, state.target, state.piece);
  let ended = false;

  function paint() { scene.draw(state.step, state.progress, kept); }

  function goTo(step, progress = 1) {
    const changed = step !== state.step;
    state.step = Math.max(0, Math.min(schedule.numSteps - 1, step));
    state.progress = progress;
    view.slider.value = state.step + 1;
    view.slider.setAttribute("aria-valuetext", `step ${state.step + 1} of ${schedule.numSteps}`);
    view.count.textContent = `${state.step + 1} / ${schedule.numSteps}`;
    if (changed || !view.stepHead.textContent) tellStep();
    drawBars(view.bars, schedule, state.step);
    paint();
  }

  function tellStep() {
    const story = stepStory(schedule, state.step);
    view.stepHead.textContent = story.head;
    const shown = schedule.steps[state.step].filter(kept);
    const lines = state.origin === null && state.target === null && state.piece === null ? story.lines
      : stepStory({ __proto__: schedule, steps: { [state.step]: shown } }, state.step).lines;
    view.stepList.replaceChildren(...lines.map((line) => make("li", {}, line)));
  }

  function play(on) {
    state.playing = on;
    view.play.textContent = on ? "Pause" : "Play";
    view.play.setAttribute("aria-pressed", String(on));
    if (on) {
      if (state.step === schedule.numSteps - 1 && state.progress >= 1) goTo(0, 0);
      else if (state.progress >= 1) goTo(state.step + 1, 0);
      state.last = performance.now();
      requestAnimationFrame(tick);
    }
  }

  function tick(now) {
    if (!state.playing || ended) return;
    state.progress += (now - state.last) / 1000 / STEP_SECONDS * state.speed;
    state.last = now;
    // A breath at the end of each step: transfers have arrived, the next have not left.
    if (state.progress >= 1.25) {
      if (state.step === schedule.numSteps - 1) { goTo(state.step, 1); play(false); return; }
      goTo(state.step + 1, 0);
    }
    scene.draw(state.step, still ? 1 : Math.min(1, ease(state.progress)), kept);
    requestAnimationFrame(tick);
  }

  function tell(what, pinned) {
    if (!pinned && state.pinned) return;
    if (pinned) state.pinned = what;
    scene.selected = what;
    let story = { head: "Point at a router or a channel, or ask for a message or a step above.", lines: [] };
    if (what?.kind === "router") story = routerStory(schedule, what.number);
    else if (what?.kind === "channel") story = channelStory(schedule, what.number);
    else if (what?.kind === "message") story = messageStory(schedule, what.numbers);
    if (view.storyHead.textContent !== story.head) {
      view.storyHead.textContent = story.head;
      view.storyList.replaceChildren(...story.lines.map((line) => make("li", {}, line)));
    }
    if (!state.playing) paint();
  }

  view.play.onclick = () => play(!state.playing);
  view.previous.onclick = () => { play(false); goTo(state.step - 1); };
  view.next.onclick = () => { play(false); goTo(state.step + 1); };
  view.slider.oninput = () => { play(false); goTo(Number(view.slider.value) - 1); };
  view.speed.onchange = () => { state.speed = Number(view.speed.value); };
  for (const [select, key] of [[view.origin, "origin"], [view.target, "target"], [view.piece, "piece"]]) {
    if (select) select.onchange = () => {
      state[key] = select.value === "" ? null : Number(select.value);
      tellStep();
      if (view.fillTree) view.fillTree(state.origin, state.piece);
      paint();
    };
  }
  view.find.onchange = () => {
    const what = found(schedule, view.find.value);
    view.find.setAttribute("aria-invalid", String(!what && view.find.value !== ""));
    if (what?.kind === "step") { play(false); goTo(what.number); } else tell(what, true);
  };
  view.theme.onclick = () => {
    const dark = getComputedStyle(view.box).getPropertyValue("--is-dark").trim() === "1";
    view.box.dataset.theme = dark ? "light" : "dark";
    if (document.body.classList.contains("pavane-page")) document.body.dataset.theme = view.box.dataset.theme;
    scene.base = null;
    goTo(state.step, state.progress);
  };
  const place = (event) => {
    const frame = view.canvas.getBoundingClientRect();
    return scene.at(event.clientX - frame.left, event.clientY - frame.top);
  };
  view.canvas.onpointermove = (event) => { if (event.pointerType !== "touch") tell(place(event), false); };
  view.canvas.onclick = (event) => { state.pinned = null; tell(place(event), true); };
  view.canvas.onpointerleave = () => tell(null, false);
  view.box.onkeydown = (event) => {
    if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName) && event.target !== view.slider) return;
    const acts = {
      " ": () => play(!state.playing), ArrowLeft: () => view.previous.onclick(), ArrowRight: () => view.next.onclick(),
      Home: () => { play(false); goTo(0); }, End: () => { play(false); goTo(schedule.numSteps - 1); },
      "+": () => faster(2), "-": () => faster(0.5),
      Escape: () => { state.pinned = null; tell(null, false); },
    };
    if (!acts[event.key] || (event.key === " " && event.target.tagName === "BUTTON")) return;
    event.preventDefault();
    acts[event.key]();
  };
  function faster(factor) {
    const choices = [...view.speed.options].map((option) => Number(option.value));
    const wanted = choices.find((choice) => choice === state.speed * factor);
    if (wanted) { state.speed = wanted; view.speed.value = String(wanted); }
  }
  const redraw = () => { scene.resize(); goTo(state.step, state.progress); };
  const observer = new ResizeObserver(redraw);
  observer.observe(view.canvas);
  const scheme = window.matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", redraw);
  if (view.fillTree) view.fillTree(null, null);
  goTo(0);
  tell(null, false);
  return {
    goTo, play, schedule,
    end() { ended = true; observer.disconnect(); scheme.removeEventListener("change", redraw); root.replaceChildren(); },
  };
}

function ease(progress) { return progress < 0 ? 0 : progress > 1 ? 1 : progress * progress * (3 - 2 * progress); }

// Elements are made of tags, attributes and texts only, so that no name in a file can become markup.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function build(root, schedule) {
  const id = `pavane-${++numbersGiven}`;
  const label = (text, element) => make("label", {}, make("span", {}, text), element);
  const view = {
    canvas: make("canvas", { role: "img", "aria-label": `Drawing of ${schedule.network}: ${counted(schedule.routers.length, "router")}. The sentences below tell what it shows.` }),
    bars: make("canvas", { class: "bars", "aria-hidden": "true" }),
    slider: make("input", { type: "range", min: 1, max: schedule.numSteps, value: 1, "aria-label": "Step" }),
    previous: make("button", { type: "button", title: "Previous step (left arrow)" }, "Previous"),
    play: make("button", { type: "button", class: "main", title: "Play or pause (space)", "aria-pressed": "false" }, "Play"),
    next: make("button", { type: "button", title: "Next step (right arrow)" }, "Next"),
    count: make("output", { class: "count" }),
    speed: make("select", { title: "Speed (+ and -)" }, ...[0.25, 0.5, 1, 2, 4, 8].map((speed) => make("option", { value: speed, selected: speed === 1 ? "" : null }, `${speed}×`))),
    find: make("input", { type: "search", placeholder: findHint(schedule), list: `${id}-names` }),
    theme: make("button", { type: "button", class: "quiet" }, "Dark or light"),
    stepHead: make("p", { class: "head", "aria-live": "polite" }),
    stepList: make("ul"),
    storyHead: make("p", { class: "head", "aria-live": "polite" }),
    storyList: make("ul"),
    origin: null, target: null, piece: null, fillTree: null,
  };
  const names = make("datalist", { id: `${id}-names` }, ...schedule.routers.slice(0, 256).map((name) => make("option", { value: `router ${name}` })));
  const filters = [];
  if (schedule.isWhole) {
    const options = (places, all) => [make("option", { value: "" }, all), ...places.map((place) => make("option", { value: place }, schedule.nameOf(place)))];
    const sorted = (values) => [...new Set(values)].sort((a, b) => a - b);
    const owners = sorted(schedule.labels.map((given) => given[0]));
    view.origin = make("select", {}, ...options(owners, "all"));
    filters.push(label(schedule.isSum ? "Part" : schedule.pattern === "reduction" ? "Target" : "Origin", view.origin));
    const others = schedule.pattern === "private" ? schedule.labels.map((given) => given[1])
      : schedule.transfers.map((t) => (schedule.pattern === "reduction" ? t.from : t.to)).filter((place) => place >= 0);
    view.target = make("select", {}, ...options(sorted(others), "all"));
    filters.push(label(schedule.isSum ? "Receiver" : schedule.pattern === "reduction" ? "Sender" : "Target", view.target));
    if (schedule.hasPieces) {
      const pieces = sorted(schedule.labels.map((given) => given.at(-1))).slice(0, MOST_PIECES_LISTED);
      view.piece = make("select", {}, make("option", { value: "" }, "all"), ...pieces.map((piece) => make("option", { value: piece }, String(piece))));
      filters.push(label("Piece", view.piece));
    }
  }
  const facts = make("dl", {},
    make("dt", {}, "Collective"), make("dd", {}, `${schedule.collective}${schedule.numWhole === undefined ? "" : `: ${messagesText(schedule)}`}`),
    ...(schedule.isWide ? [make("dt", {}, "Capacities"), make("dd", {}, capacitiesText(schedule.capacities))] : []),
    ...(schedule.isSum && schedule.isWhole ? [make("dt", {}, "Lines"), make("dd", {}, "Broken: the sum is added where it arrives; whole: it takes the place of what is there.")] : []),
    make("dt", {}, "Rules"), make("dd", {}, schedule.rules),
    make("dt", {}, "Steps"), make("dd", {}, `${schedule.numSteps}${schedule.combining ? ` start-ups, total channel occupancy ${schedule.tco}` : ""}${timesText(schedule)}`),
    make("dt", {}, "Proof"), make("dd", {}, schedule.proof.join(" ")),
    make("dt", {}, schedule.isMadeClaimed ? "Found by, as the file says" : "Found by"), make("dd", {}, `${schedule.made.solver}, seed ${schedule.made.seed}, ${schedule.made.seconds} s`));
  const beside = [section("Step", view.stepHead, view.stepList), section("Story", view.storyHead, view.storyList)];
  const wide = [];
  if (!schedule.isWhole) {
    wide.push(make("p", { class: "note" }, `${counted(schedule.numTransfers, "transfer")} are too many to list; the drawing shows which channels are busy.`));
  } else if (schedule.pattern === "private" || schedule.isSum) {
    const title = schedule.isSum ? "Who gets a sum of which part when (+: who adds it)" : "Who gets its message when";
    if (schedule.processors.length <= LARGEST_TABLE && schedule.numSteps <= 2 * LARGEST_TABLE) wide.push(section(title, table(schedule)));
  } else {
    const list = make("div");
    wide.push(section(schedule.pattern === "broadcast" ? "Broadcast tree" : "Reduction tree", list));
    const first = schedule.labels[0][0];
    view.fillTree = (owner, piece) => list.replaceChildren(tree(schedule, owner ?? first, piece ?? schedule.pieceOf(0)));
  }
  view.box = make("div", { class: "pavane-player", tabindex: "-1" },
    make("header", {}, make("h1", {}, schedule.title), make("span", { class: `status ${schedule.status}` }, schedule.statusText), view.theme),
    make("div", { class: "parts" },
      make("div", { class: "stage" }, view.canvas,
        make("div", { class: "timeline" }, view.bars, view.slider),
        make("div", { class: "controls", role: "group", "aria-label": "Playing" }, view.previous, view.play, view.next, view.count, label("Speed", view.speed), ...filters, label("Find", view.find), names)),
      make("aside", {}, ...beside)),
    ...wide, section("About", facts));
  root.replaceChildren(view.box);
  return view;
}

function findHint(schedule) {
  if (schedule.pattern === "private") return schedule.hasPieces ? "router 0, 0>5, 0>5.1, step 3" : "router 0, 0>5, step 3";
  return schedule.hasPieces ? "router 0, 3.1, step 3" : "router 0, step 3";
}

function messagesText(schedule) {
  return `${counted(schedule.numWhole, "message")}${schedule.hasPieces ? ` in ${counted(schedule.numMessages, "piece")}` : ""}`;
}

function timesText(schedule) {
  return schedule.messageTimes ? `, or ${schedule.messageTimes} message times: a message is ${counted(schedule.pieces, "piece")}` : "";
}

export function capacitiesText(capacities) {
  const known = [...new Set(capacities)].sort((a, b) => a - b);
  return known.length > 6 ? `${known[0]} to ${known.at(-1)} a step` : `${known.join(", ")} a step; the wider a line, the more`;
}

function section(title, ...children) { return make("section", {}, make("h2", {}, title), ...children); }

function table(schedule) {
  const head = make("tr", {}, make("th", { scope: "col" }, schedule.isSum ? "part" : "from"), ...schedule.steps.map((_, step) => make("th", { scope: "col" }, String(step + 1))));
  const rows = [...schedule.destinationTable()].map(([owner, cells]) => make("tr", {}, make("th", { scope: "row" }, schedule.nameOf(owner)),
    ...cells.map((cell) => make("td", {}, cell.sort((a, b) => a[0] - b[0] || a[1] - b[1])
      .map(([place, piece, added]) => `${added ? "+" : ""}${schedule.nameOf(place)}${schedule.hasPieces ? `.${piece}` : ""}`).join(", ")))));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Destination table" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
}

function tree(schedule, owner, piece) {
  const children = schedule.treeOf(owner, piece);
  const seen = new Set([owner]);
  const grown = (place) => {
    const parts = (children.get(place) || []).filter((child) => !seen.has(child.place));
    parts.forEach((child) => seen.add(child.place));
    return parts.length ? make("ul", {}, ...parts.map((child) => make("li", {}, `${schedule.nameOf(child.place)} in step ${child.step + 1}`, ...[grown(child.place)].filter(Boolean)))) : null;
  };
  return make("div", { class: "tree" }, make("p", {}, `${schedule.hasPieces ? `Piece ${piece} of the message` : "Message"} ${schedule.pattern === "broadcast" ? "of" : "for"} ${schedule.nameOf(owner)}`), ...[grown(owner)].filter(Boolean));
}

function drawBars(canvas, schedule, now) {
  const { clientWidth: width, clientHeight: height } = canvas;
  if (!width) return;
  const density = Math.min(window.devicePixelRatio || 1, 2), style = getComputedStyle(canvas);
  canvas.width = width * density;
  canvas.height = height * density;
  const pen = canvas.getContext("2d");
  pen.scale(density, density);
  const part = width / schedule.numSteps, most = schedule.capacityInAll || 1;
  schedule.busyCounts.forEach((busy, step) => {
    pen.fillStyle = style.getPropertyValue(step === now ? "--mark" : "--muted").trim();
    const tall = Math.max(1, height * busy / most);
    pen.fillRect(step * part + (part > 4 ? 1 : 0), height - tall, Math.max(0.5, part - (part > 4 ? 2 : 0)), tall);
  });
}
