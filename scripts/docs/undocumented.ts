import { ModifierFlags, ObjectFlags, SymbolFlags, SignatureKind } from 'typescript/unstable/sync'
import type { Checker, NodeHandle, Project, Symbol, Type, TypeReference } from 'typescript/unstable/sync'

/** A declaration for which an editor shows no text. */
export interface Finding {
  readonly path: string
  readonly line: number
  /** How a program reaches it: `Server.listen`, `ListenOptions.tls.key`. */
  readonly name: string
}

/**
 * Finds the exported symbols of an entry, and all public members that a program can reach from them, that have no
 * docstring of their own and inherit none. Each overload needs one, because an editor shows only that of the called one.
 *
 * @param isOwn Reports whether the path of a source belongs to the packages; other types are not searched
 */
export function undocumented(project: Project, entry: string, isOwn: (path: string) => boolean): Finding[] {
  const source = project.program.getSourceFile(entry)
  if (source === undefined) throw new Error(`${entry} is not part of ${project.configFileName}.`)
  const module = project.checker.getSymbolAtLocation(source)
  // A file without exports is not a module.
  if (module === undefined) return []
  const search = new Search(project, isOwn)
  for (const symbol of project.checker.getExportsOfModule(module)) search.exported(symbol)
  return search.findings
}

class Search {
  readonly findings: Finding[] = []
  readonly #project: Project
  readonly #checker: Checker
  readonly #isOwn: (path: string) => boolean
  readonly #seen = new Set<string>()

  constructor(project: Project, isOwn: (path: string) => boolean) {
    this.#project = project
    this.#checker = project.checker
    this.#isOwn = isOwn
  }

  exported(symbol: Symbol): void {
    const target = symbol.flags & SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol
    this.#symbol(target, target.name)
    if (target.flags & SymbolFlags.Type) this.#type(this.#checker.getDeclaredTypeOfSymbol(target), target.name)
  }

  /** Checks a symbol and everything that its type leads to. */
  #symbol(symbol: Symbol, name: string): void {
    const declaration = symbol.declarations.find((each) => this.#isOwn(each.path))
    if (declaration === undefined || !this.#isNew(`symbol ${symbol.id}`)) return
    if (symbol.getDocumentationComment(this.#checker) === '') this.#report(declaration, name)
    if (!(symbol.flags & SymbolFlags.Value)) return
    const type = this.#checker.getTypeOfSymbol(symbol)
    if (type === undefined) return
    this.#type(type, name)
    if (symbol.flags & SymbolFlags.Class) {
      for (const member of symbol.getExports().values()) this.#member(member, name)
    }
  }

  #type(type: Type, name: string): void {
    if (!this.#isNew(`type ${type.id}`)) return
    if (type.isUnionType() || type.isIntersectionType()) {
      for (const part of type.getTypes()) this.#type(part, name)
      return
    }
    if (!type.isObjectType()) return
    if (type.isTypeReference()) {
      for (const argument of this.#checker.getTypeArguments(type as TypeReference)) this.#type(argument, name)
    }
    const symbol = type.getSymbol()
    if (symbol === undefined || !symbol.declarations.some((each) => this.#isOwn(each.path))) return
    // Instantiations of a generic type have the same docstrings, and there can be infinitely many.
    // The type of a class itself shares the symbol of its instances.
    const isAnonymous = (type.objectFlags & ObjectFlags.Anonymous) !== 0
    if (!this.#isNew(`members of ${symbol.id} ${isAnonymous}`)) return
    // A named type has the same members wherever a program meets it.
    const isNamed = (symbol.flags & (SymbolFlags.Class | SymbolFlags.Interface)) !== 0
    const owner = isNamed ? symbol.name : name
    for (const property of this.#checker.getPropertiesOfType(type)) this.#member(property, owner)
    for (const kind of [SignatureKind.Call, SignatureKind.Construct]) this.#signatures(type, kind, owner)
  }

  #signatures(type: Type, kind: SignatureKind, name: string): void {
    const signatures = this.#checker.getSignaturesOfType(type, kind)
    for (const signature of signatures) {
      const { declaration } = signature
      if (declaration === undefined || !this.#isOwn(declaration.path)) continue
      const docstring = this.#docstring(declaration)
      // An editor shows the docstring of a class for a constructor that has none.
      const isMissing = kind === SignatureKind.Construct ? docstring === '' : signatures.length > 1 && !docstring
      if (isMissing && this.#isNew(`${declaration.path} ${declaration.index}`)) {
        this.#report(declaration, kind === SignatureKind.Construct ? `new ${name}()` : `${name}()`)
      }
      for (const parameter of signature.getParameters()) {
        const taken = this.#checker.getTypeOfSymbol(parameter)
        if (taken !== undefined) this.#type(taken, `${name}(${parameter.name})`)
      }
      const returned = this.#checker.getReturnTypeOfSignature(signature)
      if (returned !== undefined) this.#type(returned, `${name}()`)
    }
  }

  #member(member: Symbol, owner: string): void {
    const isHidden = member.declarations.some((each) => {
      const node = each.resolve(this.#project) as { readonly modifierFlags?: ModifierFlags } | undefined
      return ((node?.modifierFlags ?? 0) & (ModifierFlags.Private | ModifierFlags.Protected)) !== 0
    })
    // `#name` and members whose key is a symbol that is not exported.
    const isUnreachable = /^(?:__)?#|^__@(?!async|dispose|iterator)/.test(member.name)
    if (isHidden || isUnreachable || member.flags & SymbolFlags.Prototype) return
    this.#symbol(member, `${owner}.${member.name}`)
  }

  /** Returns the text of a docstring before its tags; `undefined` without a docstring. */
  #docstring(handle: NodeHandle): string | undefined {
    const node = handle.resolve(this.#project)
    const text = this.#project.program.getSourceFile(handle.path)?.text.slice(node?.pos, node?.end) ?? ''
    const [, comment] = /^(?:\s|\/\/.*)*\/\*\*([^]*?)\*\//.exec(text) ?? []
    return comment
      ?.replaceAll(/^[\s*]+/gm, '')
      .replace(/(?:^|\s)@\w[^]*/, '')
      .trim()
  }

  #isNew(key: string): boolean {
    if (this.#seen.has(key)) return false
    this.#seen.add(key)
    return true
  }

  #report(handle: NodeHandle, name: string): void {
    const node = handle.resolve(this.#project)
    const text = this.#project.program.getSourceFile(handle.path)?.text ?? ''
    const start = (node?.pos ?? 0) + (/^(?:\s|\/\/.*|\/\*[^]*?\*\/)*/.exec(text.slice(node?.pos))?.[0].length ?? 0)
    this.findings.push({ path: handle.path, line: text.slice(0, start).split('\n').length, name })
  }
}
