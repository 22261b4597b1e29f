import { relative, resolve } from 'node:path'
import {
  type CallExpression,
  type ClassDeclaration,
  type NewExpression,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'
import { messagesOf } from './message-template.ts'

/** A place in the sources that creates an error. */
export interface ErrorSite {
  /** Path and line, as terminals link them. */
  readonly at: string
  /** The `name` of the error, such as `TypeError`. */
  readonly name: string
  /** The codes that the error can have; empty if it needs a code and has none. */
  readonly codes: readonly string[]
  /** The messages that it can have, with `[…]` for text that varies. */
  readonly messages: readonly string[]
}

/** A class in the sources that extends an error. */
interface ErrorClass {
  readonly name: string
  readonly code: string | undefined
  readonly isPublic: boolean
}

const CODE = /'(FW_[A-Z0-9_]+)'/g

/**
 * Returns every place that creates an error for users. Omits classes that have no code and that no package exports: errors for
 * protocol violations, which engines answer, and signals between files.
 *
 * @param configs Paths of the `tsconfig.json` of each package
 */
export function errorSites(configs: readonly string[]): ErrorSite[] {
  using api = new DisposableApi()
  const files = api.sourcesOf(configs)
  const classes = new Map(files.flatMap((file) => classesIn(file)))
  for (const name of exportedNames(files)) {
    const known = classes.get(name)
    if (known !== undefined) classes.set(name, { ...known, isPublic: true })
  }
  return files.flatMap((file) => sitesIn(file, classes, files))
}

function sitesIn(file: SourceFile, classes: ReadonlyMap<string, ErrorClass>, all: readonly SourceFile[]): ErrorSite[] {
  const sites: ErrorSite[] = []
  const visit = (node: Node, codes: readonly string[]): void => {
    if (node.kind === SyntaxKind.CallExpression && textOf((node as CallExpression).expression, file) === 'withCode') {
      const [code, error] = (node as CallExpression).arguments
      if (code !== undefined && error !== undefined) visit(error, codesIn(code, file))
      return
    }
    if (node.kind === SyntaxKind.NewExpression) {
      const created = node as NewExpression
      const className = textOf(created.expression, file)
      const known = classes.get(className)
      const isInternal = known !== undefined && !known.isPublic && known.code === undefined
      if (className.endsWith('Error') && !isInternal) {
        sites.push({
          at: `${relative('.', file.fileName)}:${lineOf(node, file)}`,
          name: known?.name ?? className,
          codes: known?.code === undefined ? codes : [known.code],
          messages: messagesOf(created, file, all),
        })
      }
    }
    // The code is that of the outermost error, not of its cause.
    const isInner = node.kind === SyntaxKind.NewExpression
    node.forEachChild((child) => visit(child, isInner || isScope(child) ? [] : codes))
  }
  file.forEachChild((child) => visit(child, []))
  return sites
}

/** Reports whether a node is a function, whose errors do not belong to the surrounding call. */
function isScope(node: Node): boolean {
  return node.kind === SyntaxKind.ArrowFunction || node.kind === SyntaxKind.FunctionExpression
}

function codesIn(node: Node, file: SourceFile): string[] {
  return Array.from(textOf(node, file).matchAll(CODE), ([, code = '']) => code)
}

function classesIn(file: SourceFile): [string, ErrorClass][] {
  const found: [string, ErrorClass][] = []
  for (const statement of file.statements) {
    if (statement.kind !== SyntaxKind.ClassDeclaration) continue
    const text = textOf(statement, file)
    const declared = (statement as ClassDeclaration).name
    if (declared === undefined || !/^[^{]*\bextends \w*Error\b/.test(text)) continue
    const name = textOf(declared, file)
    const shown = /readonly name = '(\w+)'/.exec(text)?.[1] ?? name
    const code = /readonly code = '(FW_\w+)'/.exec(text)?.[1]
    found.push([name, { name: shown, code, isPublic: false }])
  }
  return found
}

/** Returns the names that the entry files export, except types. */
function exportedNames(files: readonly SourceFile[]): string[] {
  const entries = files.filter(({ fileName }) => /\/src\/[\w-]+\.ts$/.test(fileName))
  return entries.flatMap(({ text }) =>
    Array.from(text.matchAll(/^export \{([^}]*)\}/gm), ([, names = '']) => names.split(/[\s,]+/)).flat(),
  )
}

function textOf(node: Node, file: SourceFile): string {
  return node.getText(file)
}

function lineOf(node: Node, file: SourceFile): number {
  return file.text.slice(0, node.getStart(file)).split('\n').length
}

/** The compiler as a child process, which exits when its scope ends. */
class DisposableApi {
  readonly #api = new API()

  /** Returns the projects' sources, except tests and code that only tests use. */
  sourcesOf(configs: readonly string[]): SourceFile[] {
    const openProjects = configs.map((config) => resolve(config))
    const snapshot = this.#api.updateSnapshot({ openProjects })
    return openProjects.flatMap((config) => {
      const program = snapshot.getProject(config)?.program
      const folder = config.replace(/tsconfig\.json$/, 'src/')
      const names = program?.getSourceFileNames().filter((name) => name.startsWith(folder)) ?? []
      if (names.length === 0) throw new Error(`${config} has no sources. Check the path.`)
      return names
        .filter((name) => !/\.test\.ts$|\/testing\//.test(name))
        .flatMap((name) => program?.getSourceFile(name) ?? [])
    })
  }

  [Symbol.dispose](): void {
    this.#api.close()
  }
}
