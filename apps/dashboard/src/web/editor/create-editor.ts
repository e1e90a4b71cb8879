import { autocompletion, type CompletionContext, completionKeymap } from '@codemirror/autocomplete';
import { html } from '@codemirror/lang-html';
import { syntaxHighlighting } from '@codemirror/language';
import { lintGutter } from '@codemirror/lint';
import { EditorState, Transaction } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { tagHighlighter, tags } from '@lezer/highlight';
import { minimalSetup } from 'codemirror';
import { type CompletionInput, findCompletions } from './completions';

type EditorInput = {
  parent: HTMLElement;
  nonce: string;
  label: string;
  language: 'html' | 'text';
  isReadOnly: boolean;
  text: string;
  onChange: (text: string) => void;
  getCompletionInput: () => CompletionInput;
};

/** Shows a text from outside the editor, such as another operator's draft. It is no change of this operator. */
export function replaceText(view: EditorView, text: string): void {
  view.dispatch({
    changes: { from: 0, to: view.state.doc.length, insert: text },
    annotations: [Transaction.remote.of(true), Transaction.addToHistory.of(false)],
  });
}

/** Highlighting uses only our own classes, so it follows the theme of the page. */
const colours = tagHighlighter([
  { tag: [tags.tagName, tags.angleBracket], class: 'tg' },
  { tag: tags.attributeName, class: 'k' },
  { tag: tags.attributeValue, class: 'st' },
  { tag: tags.comment, class: 'pu' },
]);

export function createEditor(input: EditorInput): EditorView {
  const { parent, nonce, label, language, isReadOnly, text, onChange, getCompletionInput } = input;
  const state = EditorState.create({
    doc: text,
    extensions: [
      EditorView.cspNonce.of(nonce),
      minimalSetup,
      lineNumbers(),
      highlightActiveLine(),
      drawSelection(),
      EditorView.lineWrapping,
      lintGutter(),
      ...(language === 'html' ? [html({ autoCloseTags: false })] : []),
      syntaxHighlighting(colours),
      placeholders,
      autocompletion({
        override: [(context) => complete(context, getCompletionInput())],
        icons: false,
        activateOnTyping: true,
      }),
      keymap.of(completionKeymap),
      EditorState.readOnly.of(isReadOnly),
      typeOverSelection,
      // Tab leaves the editor, so that keyboard users are not trapped.
      EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'true' }),
      EditorView.updateListener.of(({ docChanged, transactions, state: { doc } }) => {
        const isOutside = transactions.some((each) => each.annotation(Transaction.remote));
        if (docChanged && !isOutside) onChange(doc.toString());
      }),
    ],
  });
  return new EditorView({ state, parent });
}

/**
 * Chromium itself would keep the look of the replaced text in a `style` attribute, which the policy of the page forbids.
 */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    if (inputType !== 'insertText' || data === null || view.compositionStarted) return false;
    return replaceSelection(view, data);
  },
  /** An input method then inserts its text at the cursor. */
  compositionstart(_event, view) {
    replaceSelection(view, '');
    return false;
  },
});

/** Whether there is a selection to replace. */
function replaceSelection(view: EditorView, text: string): boolean {
  const { state } = view;
  if (state.selection.main.empty) return false;
  if (!state.readOnly) {
    view.dispatch(state.replaceSelection(text), { userEvent: 'input.type', scrollIntoView: true });
  }
  return true;
}

function complete(context: CompletionContext, input: CompletionInput) {
  const line = context.state.doc.lineAt(context.pos);
  const completions = findCompletions(context.state.sliceDoc(line.from, context.pos), input);
  if (!completions) return null;
  return {
    from: context.pos - completions.typed.length,
    options: completions.options.map(({ label, detail, kind }) => ({ label, detail, type: kind })),
    validFor: /^[\w.@[\]-]*$/,
  };
}

const decorator = new MatchDecorator({
  regexp: /\{\{\{?(~?[#/^!]|~?else\b)?[^{}]*\}?\}\}/g,
  decoration: ([, block]) => Decoration.mark({ class: block ? 'hb kw' : 'hb' }),
});

const placeholders = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = decorator.createDeco(view);
    }
    update(update: ViewUpdate) {
      this.decorations = decorator.updateDeco(update, this.decorations);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);
