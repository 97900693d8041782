import { make } from "./panels.js";

// The choice of a collective: groups with plain names, a sentence for the one that is chosen, and the fields and clicks
// that make sense for it.

const MEMBERS = ["root", "senders", "receivers", "pairs"];
const CLICKS = {
  root: "Click a router to make it the root",
  senders: "Click routers to choose senders",
  receivers: "Click routers to choose receivers",
  pairs: "Click a router and then another to make a pair",
};

export class CollectiveChoice {
  constructor(at, chooser, about) {
    this.at = at;
    this.chooser = chooser;
    this.offers = new Map(about.groups.flatMap((group) => group.members.map((offer) => [offer.value, offer])));
    at("collective").append(...about.groups.map((group) => make("optgroup", { label: group.title },
      ...group.members.map((offer) => make("option", { value: offer.value }, `${offer.name} (${offer.code})`)))));
    // Other names lead to the same: an address may have any of them.
    const code = (name) => about.codes[name];
    this.sameAs = new Map(about.mpi_names.filter((name) => !this.offers.has(name)).map((name) => [name, code(name).toLowerCase()]));
    at("collective").onchange = () => this.changed(true);
  }

  set(name) {
    const value = name.toLowerCase();
    this.at("collective").value = this.sameAs.get(value) ?? value;
    if (!this.at("collective").value) this.at("collective").value = "aas";
    this.changed(false);
  }

  // Fields that another collective takes stay; others are emptied when it is chosen by hand.
  changed(isChosen) {
    const { at } = this, offer = this.offers.get(at("collective").value);
    at("collective-about").textContent = offer.about;
    for (const name of MEMBERS) {
      const isTaken = offer.takes.includes(name);
      if (!isTaken && isChosen) { at(name).value = ""; this.chooser.read(name, ""); }
      at(name).parentElement.hidden = !isTaken && at(name).value === "";
    }
    const roles = offer.takes, radios = roles.map((name, index) => make("label", {}, make("input", { type: "radio", name: "role", value: name, checked: index ? null : "" }), name));
    at("roles").replaceChildren(...(roles.length > 1 ? ["a click chooses ", ...radios] : []));
    at("roles").hidden = roles.length < 2;
    at("roles").onchange = (event) => this.take(event.target.value);
    this.take(roles[0] ?? null);
  }

  take(role) {
    this.chooser.role = role;
    this.chooser.from = null;
    this.hint();
  }

  hint(isRefused = false) {
    const { role } = this.chooser, all = `In ${this.offers.get(this.at("collective").value).name.toLowerCase()} all processors take part`;
    const waiting = role === "pairs" && this.chooser.from !== null ? `From processor ${this.chooser.from}: click where its message goes` : null;
    this.at("click-hint").textContent = isRefused ? `${all}; for some of them choose one of “Between some”. Click a link to make it faulty.`
      : `${waiting ?? CLICKS[role] ?? all}; click a link to make it faulty.`;
  }
}
