import {
  type BinaryExpression,
  type CallExpression,
  type ConditionalExpression,
  type FunctionDeclaration,
  type NewExpression,
  type Node,
  type ReturnStatement,
  type SourceFile,
  type StringLiteral,
  SyntaxKind,
  type TemplateExpression,
} from 'typescript/unstable/ast'

/** Placeholder for text that varies. */
const VARIES = '[…]'

/** Classes whose message is not the first argument, and the index of the message. */
const MESSAGE_AT: Readonly<Record<string, number>> = { HttpError: 1, ProtocolError: 1, SuppressedError: 2 }

/**
 * Returns the messages that an error can have, with `[…]` for text that varies. Omits a message without any fixed text.
 *
 * Follows constants and functions in the same file. If the message is a parameter, uses the arguments from all calls.
 *
 * @param callers Files that can call a function in `file`
 */
export function messagesOf(created: NewExpression, file: SourceFile, callers: readonly SourceFile[]): string[] {
  const at = MESSAGE_AT[created.expression.getText(file)] ?? 0
  const message = created.arguments?.[at]
  if (message === undefined) return []
  const passed = message.kind === SyntaxKind.Identifier ? argumentsFor(message, file, callers) : []
  const texts = passed.length > 0 ? passed : templates(message, file)
  return texts.map((text) => text.replaceAll(/(?:\[…\])+/g, VARIES)).filter((text) => /[a-z]/.test(text))
}

function templates(node: Node, file: SourceFile): string[] {
  if (node.kind === SyntaxKind.StringLiteral || node.kind === SyntaxKind.NoSubstitutionTemplateLiteral) {
    return [(node as StringLiteral).text]
  }
  if (node.kind === SyntaxKind.TemplateExpression) {
    const { head, templateSpans } = node as TemplateExpression
    return [
      head.text + templateSpans.map(({ expression, literal }) => constant(expression, file) + literal.text).join(''),
    ]
  }
  if (node.kind === SyntaxKind.BinaryExpression) {
    const { left, right } = node as BinaryExpression
    return templates(left, file).flatMap((start) => templates(right, file).map((end) => start + end))
  }
  if (node.kind === SyntaxKind.ConditionalExpression) {
    const { whenTrue, whenFalse } = node as ConditionalExpression
    return [...templates(whenTrue, file), ...templates(whenFalse, file)]
  }
  if (node.kind === SyntaxKind.CallExpression) return returned((node as CallExpression).expression.getText(file), file)
  return node.kind === SyntaxKind.Identifier ? constantTemplates(node, file) : [VARIES]
}

/** Returns the text of a constant, or `[…]` for any other expression in a template. */
function constant(node: Node, file: SourceFile): string {
  const [only = VARIES, ...others] = node.kind === SyntaxKind.Identifier ? constantTemplates(node, file) : []
  return others.length === 0 ? only : VARIES
}

function constantTemplates(node: Node, file: SourceFile): string[] {
  const value = initialValue(node, file)
  return value === undefined ? [VARIES] : templates(value, file)
}

/** Returns the initial value of the nearest constant with the given name. */
function initialValue(node: Node, file: SourceFile): Node | undefined {
  const name = node.getText(file)
  for (let scope: Node | undefined = node.parent; scope !== undefined; scope = scope.parent) {
    const value = declaredIn(scope, name)
    if (value !== undefined) return value
  }
  return undefined
}

/** Returns the initial value of the `const` that a block declares. */
function declaredIn(scope: Node, name: string): Node | undefined {
  if (scope.kind !== SyntaxKind.Block && scope.kind !== SyntaxKind.SourceFile) return undefined
  let found: Node | undefined
  scope.forEachChild((statement) => {
    if (statement.kind !== SyntaxKind.VariableStatement) return
    statement.forEachChild((list) => {
      list.forEachChild((declaration) => {
        const { name: declared, initializer } = declaration as { name?: Node & { text?: string }; initializer?: Node }
        if (declared?.text === name) found = initializer
      })
    })
  })
  return found
}

/** Returns the messages that calls pass for a parameter of the function around `node`. */
function argumentsFor(node: Node, file: SourceFile, callers: readonly SourceFile[]): string[] {
  const around = functionAround(node)
  const name = around?.name?.getText(file)
  const at = around?.parameters.findIndex((each) => each.name.getText(file) === node.getText(file)) ?? -1
  if (name === undefined || at === -1) return []
  return callers.flatMap((caller) => {
    const passed: string[] = []
    const visit = (each: Node): void => {
      const { expression, arguments: given } = each as { expression?: Node; arguments?: readonly Node[] }
      const argument = given?.[at]
      if (each.kind === SyntaxKind.CallExpression && expression?.getText(caller) === name && argument !== undefined) {
        passed.push(...templates(argument, caller))
      }
      each.forEachChild(visit)
    }
    visit(caller)
    return passed
  })
}

function functionAround(node: Node): FunctionDeclaration | undefined {
  for (let scope: Node | undefined = node.parent; scope !== undefined; scope = scope.parent) {
    if (scope.kind === SyntaxKind.FunctionDeclaration) return scope as FunctionDeclaration
  }
  return undefined
}

/** Returns the messages that a function in the file returns. */
function returned(name: string, file: SourceFile): string[] {
  const values: string[] = []
  const visit = (node: Node): void => {
    const { expression } = node as ReturnStatement
    if (node.kind === SyntaxKind.ReturnStatement && expression !== undefined)
      values.push(...templates(expression, file))
    node.forEachChild(visit)
  }
  for (const statement of file.statements) {
    const declared = (statement as unknown as { name?: Node }).name
    if (statement.kind === SyntaxKind.FunctionDeclaration && declared?.getText(file) === name) visit(statement)
  }
  return values.length > 0 ? values : [VARIES]
}
