/* How source behaves in an editor. Loaded only once one comes into view; CodeMirror and its look are handed in. */
// The line under the text, which is also what describes it to those who do not see it.
function about(problems) {
  const key = /Mac|iP/.test(navigator.platform) ? "⌘" : "Ctrl+";
  const keys = `Esc, then Tab leaves. ${key}F finds.`;
  if (!problems.length) return keys;
  const [{ line, message }] = problems;
  const words = /^line/i.test(message) ? message : `Line ${line}: ${message}`;
  return `${problems.length > 1 ? `${problems.length} problems. ` : ""}${words.replace(/[^.?!]$/, "$&.")} F8 goes to it. ${keys}`;
}

const PHRASES = {
  next: "Next", previous: "Previous", all: "Select all", "match case": "Match case", regexp: "Pattern", "by word": "Whole words", replace: "Replace",
  "replace all": "Replace all", close: "Close",
};

function save() {
  const button = document.querySelector("[data-save]");
  button?.click();
  return Boolean(button);
}

// A selection that is typed over is replaced here: the browser would write styles into the text, which the policy forbids.
function replace({ inputType, data }, view) {
  const chosen = view.root.getSelection?.();
  if (inputType !== "insertText" || !data || view.composing || !view.contentDOM.contains(chosen?.anchorNode)) return false;
  const ends = [view.posAtDOM(chosen.anchorNode, chosen.anchorOffset), view.posAtDOM(chosen.focusNode, chosen.focusOffset)];
  const [from, to] = ends.sort((one, other) => one - other);
  if (from === to && !data.includes("\n")) return false;
  view.dispatch({ changes: { from, to, insert: data }, selection: { anchor: from + data.length }, userEvent: "input.type", scrollIntoView: true });
  return true;
}

export function sourceView(cm, look, { root, text, language, changed }) {
  const { EditorView, EditorState, keymap } = cm;
  const foot = Object.assign(document.createElement("div"), { id: "about", className: "about", textContent: about([]) });
  const name = text.getAttribute("aria-label") ?? text.labels[0]?.textContent.trim() ?? "Source";
  const extensions = [
    cm.lineNumbers(), cm.lintGutter(), cm.codeFolding(), cm.foldGutter(), cm.history(), cm.search({ top: true }),
    cm.highlightActiveLine(), cm.highlightActiveLineGutter(), cm.highlightSpecialChars(), cm.highlightSelectionMatches(),
    cm.bracketMatching(), cm.indentOnInput(), cm.syntaxHighlighting(look.colours(cm)), look.grammar(cm, language, text),
    keymap.of([{ key: "Mod-s", run: save }, ...cm.searchKeymap, ...cm.lintKeymap, ...cm.foldKeymap, ...cm.historyKeymap, ...cm.defaultKeymap, cm.indentWithTab]),
    // Whoever needs longer than a moment between the two keys leaves as well: the mode lasts until the editor is left.
    keymap.of([{ key: "Escape", run: (view) => { view.setTabFocusMode(true); return true; } }]),
    EditorView.domEventHandlers({ beforeinput: replace, blur: (_, view) => view.setTabFocusMode(false) }),
    EditorView.contentAttributes.of({ "aria-label": `${name}. Esc, then Tab leaves it.`, "aria-describedby": "about", tabindex: "0", spellcheck: String(language === "text") }),
    EditorView.updateListener.of(({ docChanged }) => docChanged && changed()),
    cm.showPanel.of(() => ({ dom: foot })),
    EditorView.theme(look.STYLES), EditorState.tabSize.of(2), EditorState.phrases.of(PHRASES),
  ];
  return new EditorView({ root, parent: root, state: EditorState.create({ doc: text.value, extensions }) });
}

// What the server found wrong stands in the list beside; each line of it that leads here becomes a mark.
export function mark(cm, view, text) {
  const { doc } = view.state;
  const problems = [...document.querySelectorAll(`a[href="#${text.id}"][data-line]`)].map((link) => {
    const line = doc.line(Math.min(Math.max(1, Number(link.dataset.line)), doc.lines));
    const from = line.from + line.text.search(/\S|$/);
    const button = link.closest("li").querySelector(".fix button");
    const actions = button ? [{ name: button.textContent.trim(), apply: () => button.click() }] : [];
    return { line: line.number, from, to: Math.min(line.to, from + 500), severity: "error", message: link.dataset.words, actions };
  });
  view.dispatch(cm.setDiagnostics(view.state, problems.sort((a, b) => a.from - b.from)));
  view.dom.querySelector(".about").textContent = about(problems);
}

export function goTo(cm, view, number) {
  view.focus();
  if (!number) return;
  const { from, to } = view.state.doc.line(Math.min(number, view.state.doc.lines));
  view.dispatch({ selection: { anchor: from, head: to }, effects: cm.EditorView.scrollIntoView(from, { y: "center" }) });
}

// Where somebody was in a text that the server draws anew, by the textarea's id.
const places = new Map();

export function leave({ state, scrollDOM, hasFocus }, text) {
  places.set(text?.id, { at: state.selection.main.head, top: scrollDOM.scrollTop, hasFocus, until: Date.now() + 5000 });
}

export function comeBack(view, text, hadFocus) {
  const last = places.get(text.id);
  const { at, top, hasFocus } = last?.until > Date.now() ? last : { at: text.selectionStart, top: text.scrollTop, hasFocus: hadFocus };
  view.dispatch({ selection: { anchor: Math.min(at, view.state.doc.length) } });
  if (hasFocus) view.focus();
  if (top) view.requestMeasure({ read: () => 0, write: () => { view.scrollDOM.scrollTop = top; } });
}
