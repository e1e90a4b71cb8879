/** JSON as text, which a value cannot express: duplicate keys, and invalid leaves. */
export type Tree =
  | { readonly text: string }
  | { readonly items: readonly Tree[] }
  | { readonly members: readonly (readonly [string, Tree])[] };

export function toTree(value: unknown): Tree {
  if (Array.isArray(value)) return { items: value.map(toTree) };
  if (typeof value !== 'object' || value === null) return { text: JSON.stringify(value) ?? 'null' };
  return { members: Object.entries(value).map(([key, member]) => [key, toTree(member)]) };
}

export function formatTree(tree: Tree): string {
  if ('text' in tree) return tree.text;
  if ('items' in tree) return `[${tree.items.map(formatTree).join(',')}]`;
  return `{${tree.members.map(([key, member]) => `${keyText(key)}:${formatTree(member)}`).join(',')}}`;
}

/** A key that begins with a quote is written unchanged. */
function keyText(key: string): string {
  return key.startsWith('"') ? key : JSON.stringify(key);
}

export function countParts(tree: Tree): number {
  return listChildren(tree).reduce((sum, child) => sum + countParts(child), 1);
}

/** Changes part `index` of the tree; part 0 is the tree itself. */
export function changeAt(tree: Tree, index: number, change: (part: Tree) => Tree): Tree {
  if (index === 0) return change(tree);
  let left = index - 1;
  const changeChild = (child: Tree): Tree => {
    const size = countParts(child);
    const changed = left >= 0 && left < size ? changeAt(child, left, change) : child;
    left -= size;
    return changed;
  };
  if ('text' in tree) return tree;
  if ('items' in tree) return { items: tree.items.map(changeChild) };
  return { members: tree.members.map(([key, member]) => [key, changeChild(member)] as const) };
}

export function listChildren(tree: Tree): readonly Tree[] {
  if ('text' in tree) return [];
  return 'items' in tree ? tree.items : tree.members.map(([, member]) => member);
}
