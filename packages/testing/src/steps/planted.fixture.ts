// Functions that read a text more slowly than necessary, and one that does not.

export function readOnce(text: string): unknown {
  let count = 0;
  for (const character of text) if (character === 'a') count += 1;
  return [text.replace(/ +/g, ' ').split(' ').join(''), text.match(/"[^"]*/g), count];
}

export function copyList(text: string): unknown {
  let open: readonly string[] = [];
  for (const character of text) open = [...open, character];
  return open;
}

export function cutRest(text: string): unknown {
  let rest = [...text];
  while (rest.length > 0) rest = rest.slice(1);
  return rest;
}

export function trimEnd(text: string): unknown {
  return text.replace(/\s+$/, '');
}

export function findWord(text: string): unknown {
  return /^\w*[a-z]\w*$/.test(text);
}

export function findQuotes(text: string): unknown {
  return text.match(/"(?:\\.|[^"\\])*"/g);
}

export function joinWords(text: string): unknown {
  return text.split(' ').map((_, index, words) => words.slice(0, index).join(' '));
}

export function comparePairs(text: string): unknown {
  let pairs = 0;
  for (let left = 0; left < text.length; left += 1) {
    for (let right = left; right < text.length; right += 1) {
      if (text.charCodeAt(left) === text.charCodeAt(right)) pairs += 1;
    }
  }
  return pairs;
}
