import { schemeOf } from "./colours.js";
import { legendItems, legendOf } from "./legend.js";
import { drawBars, factsOf, make, section, wholeOf } from "./panels.js";
import { penOn } from "./pens.js";
import { Scene } from "./scene.js";
import { Schedule } from "./schedule.js";
import { TimeLine, timeText } from "./times.js";
import { capital, channelStory, completeStory, counted, found, messageStory, routerStory, sharesStory, sharesText, stepStory } from "./stories.js";

// The player: a scene, a timeline, controls, and sentences about whatever is pointed at.

const STEP_SECONDS = 1.6;
// A timed schedule plays in real proportion, in this many seconds.
const PLAY_SECONDS = 14;
const MOST_PIECES_LISTED = 256;
// The positions of the slider over a time line.
const SLIDER = 1000;
let numbersGiven = 0;

export function mount(root, contents) {
  const schedule = new Schedule(contents);
  const view = build(root, schedule);
  const scene = new Scene(view.canvas, schedule);
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const state = { step: 0, progress: 1, playing: false, speed: 1, last: 0, origin: null, target: null, piece: null, pinned: null };
  const isFiltered = () => state.origin !== null || state.target !== null || state.piece !== null;
  const isKept = (transfer) => schedule.matches(transfer, state.origin, state.target, state.piece);
  // Above loads only what the filters choose is drawn.
  const isDrawn = (transfer) => (!scene.showsLoads || isFiltered()) && isKept(transfer);
  const known = new Map();
  const timeLine = schedule.times ? new TimeLine(view.bars, schedule, (owner) => scene.lookOf(owner)) : null;
  // What a step lasts, in seconds, and how far beyond its end it is played: transfers have arrived, the next have not left.
  const lasting = (step) => (timeLine ? PLAY_SECONDS * (schedule.cuts[step + 1] - schedule.cuts[step]) / schedule.cuts.at(-1) : STEP_SECONDS);
  const breath = timeLine ? 1 : 1.25;
  const now = (progress = state.progress) => schedule.cuts[state.step] + Math.min(1, progress) * (schedule.cuts[state.step + 1] - schedule.cuts[state.step]);
  let ended = false;

  // What routers have before a step and after it, looked up once.
  function sharesAfter(step) {
    if (!schedule.isWhole || schedule.collectives || (schedule.times && schedule.isSum)) return null;
    const key = `${step} ${state.origin} ${state.piece}`;
    if (!known.has(key)) known.set(key, schedule.sharesAfter(step, state.origin, state.piece));
    return known.get(key);
  }

  function paint(progress = state.progress) {
    timeLine?.draw(now(progress), scene.colours());
    scene.draw(state.step, progress, isDrawn, sharesAfter(progress >= 1 ? state.step : state.step - 1)?.shares);
  }

  function goTo(step, progress = 1) {
    const changed = step !== state.step;
    // A table that repeats is played round.
    state.step = schedule.wraps ? (step + schedule.numSteps) % schedule.numSteps : Math.max(0, Math.min(schedule.numSteps - 1, step));
    state.progress = progress;
    view.slider.value = timeLine ? SLIDER * now() / schedule.cuts.at(-1) : state.step + 1;
    view.slider.setAttribute("aria-valuetext", timeLine ? timeText(now()) : `${schedule.stepWord} ${schedule.numberOf(state.step)} of ${schedule.numSteps}`);
    view.count.textContent = timeLine ? `${timeText(now())} / ${timeText(schedule.times.finish)}` : `${schedule.numberOf(state.step)} / ${schedule.numSteps.toLocaleString("en")}`;
    if (changed || !view.stepHead.textContent) showStep();
    if (view.bars.clientWidth && !timeLine) drawBars(penOn(view.bars), schedule, state.step, view.bars.clientWidth, view.bars.clientHeight, scene.colours());
    paint();
  }

  function showStep() {
    const story = stepStory(schedule, state.step), shares = sharesAfter(state.step);
    view.stepHead.textContent = story.head;
    view.shares.textContent = schedule.collectives ? completeStory(schedule, state.step) : shares ? sharesStory(schedule, shares, state.origin) : "";
    const shown = schedule.steps[state.step].filter(isKept);
    const lines = isFiltered() ? stepStory({ __proto__: schedule, steps: { [state.step]: shown } }, state.step).lines : story.lines;
    view.stepList.replaceChildren(...lines.map((line) => make("li", {}, line)));
    view.legend.replaceChildren(...legendItems(legendOf(scene, schedule, schedule.steps[state.step].filter(isDrawn), shares && sharesText(schedule, state.origin)), make));
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

  function tick(moment) {
    if (!state.playing || ended) return;
    state.progress += (moment - state.last) / 1000 / lasting(state.step) * state.speed;
    state.last = moment;
    if (state.progress >= breath) {
      let step = state.step, left = timeLine ? (state.progress - 1) * lasting(step) : 0;
      do {
        if (step === schedule.numSteps - 1 && !schedule.wraps) { goTo(step, 1); play(false); return; }
        step++;
        state.progress = left / lasting(step);
        left -= lasting(step);
      } while (timeLine && state.progress >= 1);
      goTo(step, state.progress);
    }
    paint(still ? 1 : timeLine ? state.progress : Math.min(1, ease(state.progress)));
    requestAnimationFrame(tick);
  }

  function select(what, pinned) {
    if (!pinned && state.pinned) return;
    if (pinned) state.pinned = what;
    scene.selected = what;
    let story = { head: "Hover over a router or channel, or search for a message.", lines: [], isHint: true };
    if (what?.kind === "router") story = routerStory(schedule, what.number);
    else if (what?.kind === "channel") story = channelStory(schedule, what.number);
    else if (what?.kind === "message") story = messageStory(schedule, what.numbers);
    if (view.storyHead.textContent !== story.head) {
      view.storyHead.textContent = story.head;
      view.storyHead.className = story.isHint ? "hint" : "head";
      view.storyList.replaceChildren(...story.lines.map((line) => make("li", {}, line)));
    }
    if (!state.playing) paint();
  }

  function filtered() {
    for (const key of ["origin", "target", "piece"]) if (view[key]) state[key] = view[key].value === "" ? null : Number(view[key].value);
    scene.showsLoads = !schedule.hasTransfers || view.show.value === "loads";
    showStep();
    if (view.fillTree) view.fillTree(state.origin, state.piece);
    paint();
  }

  view.play.onclick = () => play(!state.playing);
  view.previous.onclick = () => { play(false); goTo(state.step - 1); };
  view.next.onclick = () => { play(false); goTo(state.step + 1); };
  const goToTime = (time) => {
    play(false);
    const step = schedule.stepAt(time), [from, to] = schedule.cuts.slice(step, step + 2);
    goTo(step, Math.min(1, (time - from) / (to - from)));
  };
  view.slider.oninput = () => {
    if (timeLine) goToTime(Number(view.slider.value) / SLIDER * schedule.cuts.at(-1));
    else { play(false); goTo(Number(view.slider.value) - 1); }
  };
  if (timeLine) {
    view.bars.onclick = ({ offsetX, offsetY }) => {
      const { time, channel } = timeLine.at(offsetX, offsetY);
      goToTime(time);
      state.pinned = null;
      select({ kind: "channel", number: channel }, true);
    };
  }
  view.speed.onchange = () => { state.speed = Number(view.speed.value); };
  for (const select of [view.show, view.origin, view.target, view.piece]) if (select) select.onchange = filtered;
  view.find.onchange = () => {
    const what = found(schedule, view.find.value);
    view.find.setAttribute("aria-invalid", String(!what && view.find.value !== ""));
    if (what?.kind === "step") { play(false); goTo(what.number); }
    else {
      // To the step in which a message sets out.
      const first = what?.kind === "message" ? schedule.transfers.find(({ carries }) => carries.some((message) => what.numbers.includes(message))) : null;
      if (first) { play(false); goTo(first.step); }
      select(what, true);
    }
  };
  view.theme.onclick = otherTheme;
  const under = (event) => {
    const frame = view.canvas.getBoundingClientRect();
    return scene.at(event.clientX - frame.left, event.clientY - frame.top);
  };
  view.canvas.onpointermove = (event) => { if (event.pointerType !== "touch") select(under(event), false); };
  view.canvas.onclick = (event) => { state.pinned = null; select(under(event), true); };
  view.canvas.onpointerleave = () => select(null, false);
  view.box.onkeydown = (event) => {
    if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName) && event.target !== view.slider) return;
    const acts = {
      " ": () => play(!state.playing), ArrowLeft: () => view.previous.onclick(), ArrowRight: () => view.next.onclick(),
      Home: () => { play(false); goTo(0); }, End: () => { play(false); goTo(schedule.numSteps - 1); },
      "+": () => faster(2), "-": () => faster(0.5),
      Escape: () => { state.pinned = null; select(null, false); },
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
  const redraw = () => {
    view.theme.textContent = schemeOf(view.box) === "dark" ? "Light mode" : "Dark mode";
    scene.resize();
    if (timeLine) {
      timeLine.bars = null;
      Object.assign(view.slider.style, { marginLeft: `${timeLine.left}px`, width: `calc(100% - ${timeLine.left}px)` });
    }
    showStep();
    goTo(state.step, state.progress);
  };
  const player = {
    goTo, play, schedule,
    end() { ended = true; observer.disconnect(); themes.disconnect(); scheme.removeEventListener("change", redraw); root.replaceChildren(); },
  };
  const observer = new ResizeObserver(redraw);
  observer.observe(view.canvas);
  const themes = new MutationObserver(redraw);
  themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  const scheme = window.matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", redraw);
  filtered();
  redraw();
  // A schedule that breaks rules opens where it first does.
  goTo(Math.max(0, (schedule.conflicts || []).findIndex((channels) => channels.length)));
  select(null, false);
  // Keys work without a click, unless something else is in use.
  if (!document.activeElement || document.activeElement === document.body) view.box.focus({ preventScroll: true });
  return player;
}

function ease(progress) { return progress < 0 ? 0 : progress > 1 ? 1 : progress * progress * (3 - 2 * progress); }

// From dark to light or back, for the whole page.
export function otherTheme() {
  document.documentElement.dataset.theme = schemeOf(document.querySelector(".pavane-player") || document.body) === "dark" ? "light" : "dark";
}

function build(root, schedule) {
  const id = `pavane-${++numbersGiven}`;
  const label = (text, element) => make("label", {}, make("span", {}, text), element);
  const whole = wholeOf(schedule);
  const view = {
    canvas: make("canvas", { role: "img", "aria-label": `Drawing of ${schedule.network}: ${counted(schedule.routers.length, "router")}. The sentences beside it describe it.` }),
    legend: make("div", { class: "legend", role: "list", "aria-label": "Legend" }),
    bars: make("canvas", { class: "bars", "aria-hidden": "true" }),
    slider: make("input", { type: "range", min: schedule.times ? 0 : 1, max: schedule.times ? SLIDER : schedule.numSteps, value: schedule.times ? 0 : 1, "aria-label": capital(schedule.stepWord) }),
    previous: make("button", { type: "button", title: `Previous ${schedule.stepWord} (left arrow)` }, "Previous"),
    play: make("button", { type: "button", class: "main", title: "Play or pause (space)", "aria-pressed": "false" }, "Play"),
    next: make("button", { type: "button", title: `Next ${schedule.stepWord} (right arrow)` }, "Next"),
    count: make("output", { class: "count" }),
    speed: make("select", { title: "Speed (+ and -)" }, ...[0.25, 0.5, 1, 2, 4, 8].map((speed) => make("option", { value: speed, selected: speed === 1 ? "" : null }, `${speed}×`))),
    show: make("select", {}, make("option", { value: "lines" }, "transfers"), make("option", { value: "loads" }, "load")),
    find: make("input", { type: "search", placeholder: findHint(schedule), size: findHint(schedule).length + 4, list: `${id}-names` }),
    theme: make("button", { type: "button", class: "quiet" }, "Dark mode"),
    stepHead: make("p", { class: "head", "aria-live": "polite" }),
    shares: make("p", { class: "shares" }),
    stepList: make("ul"),
    storyHead: make("p", { class: "head", "aria-live": "polite" }),
    storyList: make("ul"),
    origin: null, target: null, piece: null, fillTree: whole.fill,
  };
  const names = make("datalist", { id: `${id}-names` }, ...schedule.routers.slice(0, 256).map((name) => make("option", { value: `router ${name}` })));
  const filters = schedule.hasTransfers ? [label("Show", view.show), ...filtersOf(schedule, view).map(([text, select]) => label(text, select))] : [];
  const isAlone = document.body.classList.contains("pavane-page");
  view.box = make("div", { class: "pavane-player", tabindex: "-1" },
    make("header", {}, make("h1", {}, schedule.title), make("span", { class: `status ${schedule.status}` }, schedule.statusText), ...(isAlone ? [view.theme] : [])),
    make("div", { class: "parts" },
      make("div", { class: "stage" }, view.canvas, view.legend,
        make("div", { class: "timeline" }, view.bars, view.slider),
        make("div", { class: "controls", role: "group", "aria-label": "Playing" }, view.previous, view.play, view.next, view.count, label("Speed", view.speed), ...filters, label("Find", view.find), names)),
      make("aside", {}, section(capital(schedule.stepWord), view.stepHead, view.shares, view.stepList), make("section", { class: "story" }, view.storyHead, view.storyList))),
    ...whole.parts, section("About", factsOf(schedule)));
  root.replaceChildren(view.box);
  return view;
}

// Origin, target and piece; where steps are crowded one of many origins or messages is chosen, above the load of the channels.
function filtersOf(schedule, view) {
  const options = (locations, all) => [make("option", { value: "" }, all), ...locations.map((location) => make("option", { value: location }, schedule.fullNameOf(location)))];
  const sorted = (values) => [...new Set(values)].sort((a, b) => a - b);
  const owners = sorted(schedule.labels.map((label) => label[0]));
  view.origin = make("select", {}, ...(schedule.collectives
    ? [make("option", { value: "" }, "all"), ...schedule.collectives.map(({ name }, number) => make("option", { value: number }, `${number}: ${name}`))]
    : options(owners, "all")));
  const others = schedule.pattern === "private" ? schedule.labels.map((label) => label[1])
    : schedule.transfers.map((t) => (schedule.pattern === "reduction" ? t.from : t.to)).filter((location) => location >= 0);
  view.target = make("select", {}, ...options(sorted(others), "all"));
  if (schedule.isCrowded) {
    view.show.value = "loads";
    if (owners.length > 1) view.origin.value = String(owners[0]);
    else if (schedule.pattern === "private") view.target.value = String(sorted(others)[0]);
  }
  if (!schedule.isWhole) {
    view.show.options[0].remove();
    view.origin.options[0].textContent = "none";
  }
  const isReduction = schedule.pattern === "reduction";
  const chosen = [[schedule.collectives ? "Collective" : schedule.isSum ? "Part" : isReduction ? "Target" : "Origin", view.origin], [schedule.isSum || schedule.collectives ? "Receiver" : isReduction ? "Sender" : "Target", view.target]];
  if (!schedule.hasPieces) return chosen;
  const pieces = sorted(schedule.labels.map((label) => label.at(-1))).slice(0, MOST_PIECES_LISTED);
  view.piece = make("select", {}, make("option", { value: "" }, "all"), ...pieces.map((piece) => make("option", { value: piece }, String(piece))));
  return [...chosen, ["Piece", view.piece]];
}

function findHint(schedule) {
  const step = schedule.times ? timeText(schedule.times.finish / 2) : `${schedule.stepWord} 3`;
  if (schedule.pattern === "private") return schedule.hasPieces ? `0>5, 0>5.1, ${step}` : `0>5, ${step}`;
  return schedule.hasPieces ? `3.1, ${step}` : `router 0, ${step}`;
}
