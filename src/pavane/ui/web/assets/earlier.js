import { make } from "./panels.js";
import { isSolved } from "./results.js";

// Earlier results: when, what and under which rules; to open, to compare and to delete.

const MOST_SHOWN = 40;

export class Earlier {
  constructor(box, list, { open, compare, failed }) {
    // A list that was requested before a deletion may arrive after it.
    Object.assign(this, { box, list, open, compare, failed, deleted: new Set() });
  }

  show(jobs) {
    const ended = jobs.filter((job) => !this.deleted.has(job.id) && (isSolved(job) || (job.state !== "waiting" && job.state !== "running" && job.state !== "lost")));
    this.box.hidden = ended.length === 0;
    // The list may be renewed while results are being chosen.
    const chosen = new Set(this.checked().map((box) => box.value));
    this.list.replaceChildren(...ended.slice(0, MOST_SHOWN).map((job) => this.line(job, chosen.has(job.id))));
  }

  checked() { return [...this.list.querySelectorAll("input:checked")]; }

  line(job, isChosen) {
    const box = make("input", { type: "checkbox", value: job.id, checked: isChosen ? "" : null });
    box.disabled = !isSolved(job);
    box.onchange = () => {
      const chosen = this.checked();
      if (chosen.length > 2) chosen.find((one) => one !== box).checked = false;
      const two = this.checked().map((one) => one.value);
      if (two.length === 2) this.compare(two);
    };
    const open = make("button", { type: "button" }, "Open"), remove = make("button", { type: "button", "aria-label": `Delete ${headline(job)}` }, "Delete");
    open.onclick = () => this.open(job.id);
    const item = make("li", {}, make("label", {}, box, make("span", {}, headline(job), make("span", { class: "rules" }, job.rules ?? rulesOf(job.asked)),
      make("time", { datetime: new Date(job.made * 1000).toISOString() }, new Date(job.made * 1000).toLocaleString()))), open, remove);
    remove.onclick = async () => {
      this.deleted.add(job.id);
      const answer = await fetch(`/api/results/${job.id}`, { method: "DELETE" });
      if (answer.ok || answer.status === 404) {
        this.list.querySelector(`input[value="${job.id}"]`)?.closest("li").remove();
        this.box.hidden = !this.list.children.length;
      } else { this.deleted.delete(job.id); this.failed((await answer.json()).detail); }
    };
    return item;
  }
}

function headline(job) {
  const kind = job.title ?? job.kind ?? job.asked.collective?.toUpperCase() ?? "", network = job.network ?? (job.asked.file ? job.asked.name : job.asked.network);
  const parts = job.parts ? ` in ${job.parts} ${job.parts === 1 ? "part" : "parts"}` : "";
  if (!isSolved(job)) return `${kind} on ${network}: no schedule, ${job.state}${typeof job.bound === "number" ? `, bound ${job.bound}` : ""}`;
  if (job.finish) return `${kind} on ${network}: ends after ${job.finish_text}, ${job.status} (${job.solver}, ${job.seconds} s)`;
  const times = job.message_times ? ` (${job.message_times} message times)` : "", front = job.front ? `, a front of ${job.front.length}` : job.in_turn ? `, in turn ${job.in_turn}` : "";
  return `${kind}${parts} on ${network}: ${job.steps.toLocaleString("en")} ${job.step_word ?? "step"}${job.steps === 1 ? "" : "s"}${times}, ${job.status_text || job.status}${front} (${job.solver}, ${job.seconds} s)`;
}

function rulesOf(request) {
  return [request.switching, request.ports === "all" || !request.ports ? "all-port" : `${request.ports}-port`, request.routing && `${request.routing} routing`].filter(Boolean).join(", ");
}
