/* A textarea with source becomes an editor: line numbers, colours, folding, search, marks where the server found something.
   The textarea stays the truth: it is what is sent, and without scripts it is what is seen. */
const parts = document.querySelector("script[data-codemirror]").dataset;
let loading;
const load = () => (loading ??= Promise.all([parts.codemirror, parts.look, parts.view].map((part) => import(part))));
// Characters from which on writing into the textarea takes long enough to be felt.
const LONG = 50_000;

class SourceEditor extends HTMLElement {
  #cm;
  #library;
  #look;
  #view;
  #hears;
  #later;
  #isOwn = false;
  #isBehind = false;
  #seen = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && this.#begin());

  get text() { return this.querySelector("textarea"); }

  connectedCallback() { this.#seen.observe(this); }

  disconnectedCallback() {
    this.#seen.disconnect();
    this.#hears?.abort();
    if (!this.#cm) return;
    this.#view.leave(this.#cm, this.text);
    this.#cm.destroy();
    this.#cm = null;
  }

  async #begin() {
    this.#seen.disconnect();
    [this.#library, this.#look, this.#view] = await load();
    if (this.#cm || !this.isConnected) return;
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const { text, dataset: { language } } = this;
    const hadFocus = text === document.activeElement;
    this.#cm = this.#view.sourceView(this.#library, this.#look, { root, text, language, changed: () => this.#give() });
    this.#listen();
    this.#mark();
    this.#view.comeBack(this.#cm, text, hadFocus);
  }

  #listen() {
    this.#hears = new AbortController();
    const { signal } = this.#hears;
    document.addEventListener("input", ({ target }) => target.contains(this.text) && this.#take(), { signal });
    document.addEventListener("htmx:after:swap", () => { this.#take(); this.#mark(); }, { signal });
    document.addEventListener("click", (event) => this.#lead(event), { signal });
    // Before anything is asked or sent.
    for (const name of ["click", "submit", "focusout"]) document.addEventListener(name, () => this.#settle(), { signal, capture: true });
  }

  // What is typed here goes to the textarea, and whoever listens to it hears of it; of a long text a moment after the last key.
  #give() {
    if (this.#isOwn) return;
    this.#isBehind = true;
    clearTimeout(this.#later);
    if (this.#cm.state.doc.length < LONG) this.#settle();
    else this.#later = setTimeout(() => this.#settle(), 400);
  }

  #settle() {
    if (!this.#isBehind || !this.#cm) return;
    this.#isBehind = false;
    this.#isOwn = true;
    this.text.value = this.#cm.state.doc.toString();
    this.text.dispatchEvent(new Event("input", { bubbles: true }));
    this.#isOwn = false;
  }

  // What others put into the textarea (a chosen file, a draft, a repair) comes here.
  #take() {
    const { doc } = this.#cm.state;
    const insert = this.text?.value;
    if (this.#isOwn || this.#isBehind || insert === undefined || insert === doc.toString()) return;
    this.#isOwn = true;
    this.#cm.dispatch({ changes: { from: 0, to: doc.length, insert } });
    this.#isOwn = false;
  }

  #mark() { this.#view.mark(this.#library, this.#cm, this.text); }

  // A label and the way to a problem lead here: the textarea itself cannot be entered any more.
  #lead(event) {
    const link = event.target.closest(`a[href="#${this.text.id}"]`);
    if (!link && event.target.closest("label")?.control !== this.text) return;
    event.preventDefault();
    this.closest("details")?.setAttribute("open", "");
    this.scrollIntoView({ block: "nearest" });
    this.#view.goTo(this.#library, this.#cm, Number(link?.dataset.line ?? 0));
  }
}

customElements.define("source-editor", SourceEditor);
