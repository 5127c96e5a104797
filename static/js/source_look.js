/* How source looks in an editor: the tokens of the page, light and dark, and the grammar that it is coloured by. */
const font = { fontFamily: "var(--mono)", fontSize: "var(--t12)", lineHeight: "20px" };
const floating = { border: "1px solid var(--line-2)", borderRadius: "var(--r)", backgroundColor: "var(--raised)", color: "var(--ink)", boxShadow: "var(--shadow-2)" };
const control = { minBlockSize: "var(--control)", margin: "0", padding: "0 8px", border: "1px solid var(--line-control)", borderRadius: "var(--r)", background: "var(--surface)", color: "var(--ink)", font: "inherit" };
const wavy = (tone) => ({ backgroundImage: "none", paddingBottom: "0", textDecoration: `underline wavy ${tone}`, textUnderlineOffset: "3px", textDecorationSkipInk: "none" });

export const STYLES = {
  "&": { display: "flex", flexDirection: "column", blockSize: "100%", backgroundColor: "var(--surface)", color: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { flex: "1 1 auto", ...font },
  ".cm-content": { caretColor: "var(--ink)", paddingBlock: "6px" },
  ".cm-gutters": { border: "0", backgroundColor: "var(--sunken)", color: "var(--ink-3)" },
  ".cm-lineNumbers .cm-gutterElement": { minInlineSize: "28px", paddingInline: "8px 4px" },
  ".cm-foldGutter .cm-gutterElement": { cursor: "pointer", inlineSize: "14px", textAlign: "center" },
  ".cm-gutter-lint": { inlineSize: "16px" },
  ".cm-lint-marker-error": { content: "none", inlineSize: "8px", blockSize: "8px", margin: "6px 1px 0 5px", borderRadius: "2px", background: "var(--fail-line)", outline: "1px solid var(--fail-line)" },
  ".cm-lintRange-error": wavy("var(--fail-line)"),
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "var(--hover)" },
  "&.cm-focused .cm-activeLineGutter": { backgroundColor: "var(--press)", color: "var(--ink)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--selected)", outline: "1px solid var(--focus)", outlineOffset: "-1px" },
  "&.cm-focused .cm-nonmatchingBracket": { ...wavy("var(--fail-line)"), backgroundColor: "transparent" },
  ".cm-selectionMatch": { backgroundColor: "var(--press)" },
  ".cm-searchMatch": { backgroundColor: "var(--unknown-bg)", outline: "1px solid var(--unknown-line)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--budget-bg)", outline: "2px solid var(--budget-line)" },
  ".cm-foldPlaceholder": { border: "1px solid var(--line-2)", borderRadius: "var(--r-sm)", backgroundColor: "var(--press)", color: "var(--ink-2)" },
  ".cm-specialChar": { color: "var(--fail-fg)" },
  ".cm-tooltip": { ...floating, maxInlineSize: "min(420px, 90vw)", font: "var(--t13)/1.45 var(--sans)" },
  ".cm-diagnostic": { padding: "6px 8px", whiteSpace: "pre-wrap", overflowWrap: "anywhere" },
  ".cm-diagnostic-error": { borderInlineStart: "3px solid var(--fail-line)" },
  ".cm-diagnosticAction": { ...control, display: "block", minBlockSize: "24px", marginBlockStart: "6px", cursor: "pointer" },
  ".cm-panels": { backgroundColor: "var(--canvas)", color: "var(--ink)", font: "var(--t13)/1.45 var(--sans)", zIndex: "2" },
  ".cm-panels-top": { borderBlockEnd: "1px solid var(--line)" },
  ".cm-panels-bottom": { borderBlockStart: "1px solid var(--line)" },
  ".cm-panel.cm-search": { display: "flex", flexWrap: "wrap", alignItems: "center", gap: "6px", padding: "6px 36px 6px 8px", "& br": { display: "none" } },
  ".cm-panel.cm-search label": { display: "inline-flex", alignItems: "center", gap: "4px", fontSize: "var(--t12)" },
  ".cm-panel.cm-search input[type=checkbox]": { accentColor: "var(--focus)", inlineSize: "16px", blockSize: "16px", margin: "0" },
  ".cm-panel.cm-search :is(input, button, label)": { margin: "0" },
  ".cm-textfield": { ...control, flex: "1 1 120px", minInlineSize: "0", maxInlineSize: "240px" },
  ".cm-button": { ...control, backgroundImage: "none", cursor: "pointer" },
  ".cm-panel [name=close]": { minInlineSize: "24px", minBlockSize: "24px", color: "var(--ink-2)", cursor: "pointer" },
  ":is(.cm-textfield, .cm-button, .cm-diagnosticAction, input, [name=close]):focus-visible": { outline: "var(--ring)", outlineOffset: "1px" },
  ".cm-panel-lint ul": { maxBlockSize: "120px" },
  ".cm-panel-lint ul [aria-selected]": { backgroundColor: "var(--selected)", color: "var(--ink)" },
  ".about": { padding: "3px 8px", color: "var(--ink-3)", fontSize: "var(--t12)" },
};

export const colours = ({ HighlightStyle, tags }) => HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--run-fg)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--done-fg)" },
  { tag: [tags.number, tags.heading], color: "var(--budget-fg)" },
  { tag: [tags.bool, tags.null, tags.keyword, tags.labelName, tags.typeName, tags.monospace], color: "var(--wait-fg)" },
  { tag: [tags.punctuation, tags.separator, tags.meta, tags.processingInstruction], color: "var(--ink-2)" },
  { tag: [tags.comment, tags.quote], color: "var(--ink-3)", fontStyle: "italic" },
  { tag: [tags.heading, tags.strong], fontWeight: "600" },
  { tag: [tags.link, tags.url], color: "var(--link)" },
  { tag: tags.invalid, textDecoration: "underline wavy var(--fail-line)" },
]);

// A document that may be either is told apart as the server does: by how it begins.
const isJson = (language, start) => language === "json" || (language === "auto" && /^\s*(?:[[{]|$)/.test(start));

export function grammar(cm, language, text) {
  const { Compartment, EditorState, EditorView, Language, defineLanguageFacet, json, markdown, yaml } = cm;
  if (language === "text") return [new Language(defineLanguageFacet(), markdown, [], "markdown"), EditorView.lineWrapping];
  const place = new Compartment();
  let was = isJson(language, text.value.slice(0, 1000));
  const follows = EditorState.transactionExtender.of(({ docChanged, newDoc }) => {
    if (!docChanged || isJson(language, newDoc.sliceString(0, 1000)) === was) return null;
    was = !was;
    return { effects: place.reconfigure(was ? json() : yaml()) };
  });
  return [place.of(was ? json() : yaml()), follows];
}
