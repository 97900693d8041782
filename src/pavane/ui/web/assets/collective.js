import { make } from "./panels.js";

// The choice of a collective: names in groups, a sentence for the chosen one, and the fields that it takes.

const MEMBERS = ["root", "senders", "receivers", "pairs"];
const CLICKS = {
  root: "Click a router to make it the root",
  senders: "Click routers to choose senders",
  receivers: "Click routers to choose receivers",
  pairs: "Click a router and then another to make a pair",
};

export class CollectiveChoice {
  constructor(at, fields, chooser, groups) {
    Object.assign(this, { at, fields, chooser });
    this.offers = new Map(groups.flatMap((group) => group.members.map((offer) => [offer.value, offer])));
    fields.collective.append(...groups.map((group) => make("optgroup", { label: group.title },
      ...group.members.map((offer) => make("option", { value: offer.value }, `${offer.name} (${offer.code})`)))));
    fields.collective.onchange = () => this.changed();
    at("roles").onchange = (event) => this.take(event.target.value);
  }

  get offer() { return this.offers.get(this.fields.collective.value); }

  // Fields that the collective does not take are hidden, and are no part of the request.
  changed() {
    const { at, fields, offer: { about, takes } } = this;
    at("collective-about").textContent = about;
    for (const name of MEMBERS) {
      fields[name].disabled = !takes.includes(name);
      fields[name].parentElement.hidden = fields[name].disabled;
    }
    const radios = takes.map((name, index) => make("label", {}, make("input", { type: "radio", name: "role", form: "", value: name, checked: index ? null : "" }), name));
    at("roles").replaceChildren(...(takes.length > 1 ? ["a click chooses ", ...radios] : []));
    this.take(takes[0] ?? null);
  }

  take(role) {
    this.chooser.take(role);
    this.hint();
  }

  hint(isRefused = false) {
    const { role, from } = this.chooser, all = `In ${this.offer.name.toLowerCase()} all processors take part`;
    const waiting = from === null ? null : `From processor ${from}: click where its message goes`;
    this.at("click-hint").textContent = isRefused ? `${all}; for some of them choose one of “Between some”. Click a link to make it faulty.`
      : `${waiting ?? CLICKS[role] ?? all}; click a link to make it faulty.`;
  }
}
