/** Node of an HTML syntax tree, with the properties that this module reads. */
interface Node {
  readonly type: string
  readonly tagName?: string
  readonly value?: string
  readonly properties?: object
  children?: Node[]
}

/**
 * Lets identifiers in tables break between their words: `maxHead|Bytes`. In a narrow column, they would otherwise break
 * anywhere. The marks are elements, so that a copied identifier contains no additional characters.
 */
export function breakIdentifiers(): (tree: object) => void {
  return (tree) => visit(tree as Node, false)
}

function visit(node: Node, inTable: boolean): void {
  if (inTable && node.tagName === 'code') {
    node.children =
      node.children?.flatMap((child) => (child.type === 'text' ? wordsOf(child.value ?? '') : [child])) ?? []
    return
  }
  for (const child of node.children ?? []) visit(child, inTable || node.tagName === 'table')
}

function wordsOf(text: string): Node[] {
  const nodes: Node[] = []
  for (const value of text.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[._/])(?=\w)/)) {
    if (nodes.length > 0) nodes.push({ type: 'element', tagName: 'wbr', properties: {}, children: [] })
    nodes.push({ type: 'text', value })
  }
  return nodes
}
