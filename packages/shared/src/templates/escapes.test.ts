import { escapeAngle, escapeHtml, escapeNothing } from './escapes';

const text = `R&D <b> "x" 'y' &amp; 🎉`;

describe('escapes', () => {
  test('plain text is not escaped', () => {
    expect(escapeNothing(text)).toBe(text);
  });

  test('HTML escapes five characters, each once', () => {
    expect(escapeHtml(text)).toBe('R&amp;D &lt;b&gt; &quot;x&quot; &#39;y&#39; &amp;amp; 🎉');
    expect(escapeHtml('plain')).toBe('plain');
  });

  test('Slack and Telegram escape only & < >, so that quotes stay readable', () => {
    expect(escapeAngle(text)).toBe(`R&amp;D &lt;b&gt; "x" 'y' &amp;amp; 🎉`);
    expect(escapeAngle("We've")).toBe("We've");
  });

  test('a Slack mention in a value becomes plain text', () => {
    expect(escapeAngle('<!channel>')).toBe('&lt;!channel&gt;');
  });
});
