import {
  type AnyNode,
  type CallExpression,
  type ArrowFunctionExpression,
  type FunctionDeclaration,
  type FunctionExpression,
  parse,
  type Pattern,
  type Program,
} from 'acorn'

const PACKAGE = '@fw/log'
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']
const METHODS = new Set([...LEVELS, ...LEVELS.map((level) => `FW_LOG_${level.toUpperCase()}`)])

/** A log call that receives its location. */
interface Site {
  /** The offset of its first argument. */
  readonly at: number
  readonly line: number
  readonly functionName: string
}

/**
 * Adds the source location as the first argument to each call to a log function that a module imports from `@fw/log`.
 * Line numbers do not change.
 *
 * A call is marked only if its location is certain. Modules that redeclare the imported name remain unchanged, as do calls in
 * functions whose names are set at run time. Unmarked calls find their location when they run.
 *
 * @param file The module path to show in records
 * @returns `undefined` if no call can be marked
 */
export function markCallSites(source: string, file: string): string | undefined {
  if (!source.includes(PACKAGE)) return undefined
  const program = parsed(source)
  if (program === undefined) return undefined
  const names = importedNames(program)
  const sites: Site[] = []
  if (names.size === 0 || !collectSites(program, names, sites) || sites.length === 0) return undefined

  const made = sites.map(
    ({ line, functionName }, at) =>
      `__fwSite${at}=__fwCallSite(${JSON.stringify(file)},${line},${JSON.stringify(functionName)})`,
  )
  const head = `import{callSite as __fwCallSite}from'${PACKAGE}';const ${made.join()};`
  const start = program.body.find((node) => !('directive' in node))?.start ?? 0
  const inserts = [[start, head], ...sites.map(({ at }, index) => [at, `__fwSite${index},`] as const)] as const
  let marked = ''
  let from = 0
  for (const [at, text] of inserts.toSorted(([a], [b]) => a - b)) {
    marked += source.slice(from, at) + text
    from = at
  }
  return marked + source.slice(from)
}

function parsed(source: string): Program | undefined {
  try {
    return parse(source, { ecmaVersion: 'latest', sourceType: 'module', locations: true, allowHashBang: true })
  } catch {
    // Node.js reports the syntax error.
    return undefined
  }
}

/** Returns the local names of the imports: true for the whole package, false for a log function. */
function importedNames(program: Program): Map<string, boolean> {
  const names = new Map<string, boolean>()
  for (const node of program.body) {
    if (node.type !== 'ImportDeclaration' || node.source.value !== PACKAGE) continue
    for (const specifier of node.specifiers) {
      if (specifier.type === 'ImportNamespaceSpecifier') names.set(specifier.local.name, true)
      else if (specifier.type === 'ImportSpecifier' && METHODS.has(nameOf(specifier.imported) ?? '')) {
        names.set(specifier.local.name, false)
      }
    }
  }
  return names
}

/** Collects the log calls. @returns False if the module redeclares one of the names */
function collectSites(program: Program, names: ReadonlyMap<string, boolean>, sites: Site[]): boolean {
  let isCertain = true
  const bind = (pattern: Pattern | null | undefined): void => {
    for (const name of boundNames(pattern)) if (names.has(name)) isCertain = false
  }
  /**
   * @param name The name of the enclosing function; `undefined` if unknown. @param own The name that a function at this
   * position receives
   */
  const visit = (node: AnyNode, name: string | undefined, own: string | undefined): void => {
    if (node.type === 'VariableDeclarator') bind(node.id)
    if (node.type === 'CatchClause') bind(node.param)
    if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') bind(node.id)
    let inside = name
    if (isFunction(node)) {
      if ('id' in node) bind(node.id)
      node.params.forEach(bind)
      inside = ('id' in node ? node.id?.name : undefined) ?? own
    }
    // V8 runs these as functions with internal names.
    if (node.type === 'StaticBlock' || node.type === 'PropertyDefinition') inside = undefined
    if (node.type === 'CallExpression' && inside !== undefined) {
      const line = lineOfLogCall(node, names)
      const [first] = node.arguments
      if (line !== undefined && first !== undefined) sites.push({ at: first.start, line, functionName: inside })
    }
    for (const [key, child] of childrenOf(node)) visit(child, inside, nameGivenBy(node, key))
  }
  visit(program, '', undefined)
  return isCertain
}

/** Returns the line that a stack trace shows for a log call; `undefined` for any other call. */
function lineOfLogCall({ callee }: CallExpression, names: ReadonlyMap<string, boolean>): number | undefined {
  if (callee.type === 'Identifier') return names.get(callee.name) === false ? callee.loc?.start.line : undefined
  if (callee.type !== 'MemberExpression' || callee.computed || callee.object.type !== 'Identifier') return undefined
  const isLog = names.get(callee.object.name) === true && METHODS.has(nameOf(callee.property) ?? '')
  return isLog ? callee.property.loc?.start.line : undefined
}

/**
 * Returns the name that an anonymous function receives as this child: empty without a name, `undefined` if the name is
 * uncertain.
 */
function nameGivenBy(node: AnyNode, key: string): string | undefined {
  if (node.type === 'VariableDeclarator') return key === 'init' ? nameOf(node.id) : undefined
  if (node.type === 'Property') return isNamed(key, node.computed, node.kind === 'init') ? nameOf(node.key) : undefined
  if (node.type === 'MethodDefinition') {
    return isNamed(key, node.computed, node.kind === 'method') ? nameOf(node.key) : undefined
  }
  return UNNAMING.has(node.type) ? '' : undefined
}

/** Nodes that do not name an anonymous function. */
const UNNAMING = new Set(['CallExpression', 'NewExpression', 'ReturnStatement', 'AwaitExpression'])

function isNamed(key: string, isComputed: boolean, isPlain: boolean): boolean {
  return key === 'value' && !isComputed && isPlain
}

function nameOf(node: AnyNode): string | undefined {
  return node.type === 'Identifier' ? node.name : undefined
}

function boundNames(pattern: Pattern | null | undefined): string[] {
  if (pattern?.type === 'Identifier') return [pattern.name]
  if (pattern?.type === 'ArrayPattern') return pattern.elements.flatMap(boundNames)
  if (pattern?.type === 'RestElement') return boundNames(pattern.argument)
  if (pattern?.type === 'AssignmentPattern') return boundNames(pattern.left)
  if (pattern?.type !== 'ObjectPattern') return []
  return pattern.properties.flatMap((each) => boundNames(each.type === 'Property' ? each.value : each.argument))
}

function isFunction(node: AnyNode): node is FunctionDeclaration | FunctionExpression | ArrowFunctionExpression {
  const { type } = node
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'
}

function childrenOf(node: AnyNode): [key: string, child: AnyNode][] {
  return Object.entries(node).flatMap(([key, value]: [string, unknown]) =>
    (Array.isArray(value) ? value : [value]).filter(isNode).map((child): [string, AnyNode] => [key, child]),
  )
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}
