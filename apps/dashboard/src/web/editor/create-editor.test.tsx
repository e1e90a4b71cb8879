import { createEditor, replaceText } from './create-editor';

test('a draft of another operator is shown, but is no change of this one, and is not undone', () => {
  const changes: string[] = [];
  const view = createEditor({
    ...{ parent: document.body, nonce: '', label: 'Text', language: 'text', isReadOnly: false },
    text: 'Hello',
    onChange: (text) => changes.push(text),
    getCompletionInput: () => ({ paths: [], data: {}, helpers: [] }),
  });
  replaceText(view, 'Good morning');
  expect([view.state.doc.toString(), changes]).toEqual(['Good morning', []]);
  view.dispatch({ changes: { from: 12, insert: '!' } });
  expect(changes).toEqual(['Good morning!']);
  view.destroy();
});
