/** The streamed text up to the end of the event that contains `text`. */
export async function readUntil(response: Response, expectedText: string): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const at = text.indexOf(expectedText);
    if (at !== -1 && text.indexOf('\n\n', at) !== -1) return text.slice(at);
  }
  throw new Error('The stream ended');
}
