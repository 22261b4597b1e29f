import { ModifierFlags, ObjectFlags, SymbolFlags, SignatureKind } from 'typescript/unstable/sync'
import type { Checker, NodeHandle, Project, Symbol, Type } from 'typescript/unstable/sync'

/** A place in the source, and the path by which a program reaches it: `Server.listen`, `ListenOptions.tls.key`. */
export interface Found {
  readonly path: string
  readonly line: number
  readonly name: string
}

/** The symbols that a program can reach through the exports of one entry of a package. */
export interface PublicApi {
  /**
   * Exports, members and overloads for which an editor shows no text. An overload does not inherit the docstring of
   * another, and a class member does not inherit that of an implemented interface.
   */
  readonly undocumented: readonly Found[]
  /** Classes, interfaces and type aliases to which a program's declaration file can refer. */
  readonly types: readonly Found[]
  /** The exports. */
  readonly exported: readonly Found[]
}

/** @param isOwn Reports whether the path of a source belongs to the packages; other types are not searched */
export function publicApi(project: Project, entry: string, isOwn: (path: string) => boolean): PublicApi {
  const search = new Search(project, isOwn)
  const source = project.program.getSourceFile(entry)
  if (source === undefined) throw new Error(`${entry} is not part of ${project.configFileName}.`)
  const module = project.checker.getSymbolAtLocation(source)
  // A file without exports is not a module.
  if (module === undefined) return search
  for (const symbol of project.checker.getExportsOfModule(module)) search.export(symbol)
  return search
}

class Search implements PublicApi {
  readonly undocumented: Found[] = []
  readonly types: Found[] = []
  readonly exported: Found[] = []
  readonly #project: Project
  readonly #checker: Checker
  readonly #isOwn: (path: string) => boolean
  readonly #seen = new Set<string>()

  constructor(project: Project, isOwn: (path: string) => boolean) {
    this.#project = project
    this.#checker = project.checker
    this.#isOwn = isOwn
  }

  export(symbol: Symbol): void {
    const target = symbol.flags & SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol
    for (const declaration of target.declarations) this.exported.push(this.#find(declaration, symbol.name))
    this.#symbol(target, target.name)
    if (target.flags & SymbolFlags.Type) this.#type(this.#checker.getDeclaredTypeOfSymbol(target), target.name)
  }

  /** Checks a symbol and everything that is reachable from its type. */
  #symbol(symbol: Symbol, name: string): void {
    const declaration = symbol.declarations.find((each) => this.#isOwn(each.path))
    if (declaration === undefined || !this.#isNew(`symbol ${symbol.id}`)) return
    if (symbol.getDocumentationComment(this.#checker) === '') this.undocumented.push(this.#find(declaration, name))
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
    this.#alias(type, name)
    if (type.isUnionType() || type.isIntersectionType()) {
      for (const part of type.getTypes()) this.#type(part, name)
      return
    }
    if (!type.isObjectType()) return
    if (type.isTypeReference()) {
      for (const argument of this.#checker.getTypeArguments(type)) this.#type(argument, name)
    }
    const symbol = type.getSymbol()
    const declaration = symbol?.declarations.find((each) => this.#isOwn(each.path))
    if (symbol === undefined) return
    if (declaration === undefined) {
      // `Pick`, `Omit` and `Partial` are declared elsewhere, but their members can come from a type in the packages.
      if ((type.objectFlags & ObjectFlags.Mapped) === 0) return
      for (const property of this.#checker.getPropertiesOfType(type)) this.#member(property, name)
      return
    }
    // Instantiations of a generic type have the same docstrings, and there can be infinitely many. A class's own type shares
    // the symbol with its instances.
    const isAnonymous = (type.objectFlags & ObjectFlags.Anonymous) !== 0
    if (!this.#isNew(`members of ${symbol.id} ${isAnonymous}`)) return
    // A named type has the same members wherever it is used.
    const isNamed = (symbol.flags & (SymbolFlags.Class | SymbolFlags.Interface)) !== 0
    const owner = isNamed ? symbol.name : name
    if (isNamed && !isAnonymous) this.types.push(this.#find(declaration, `${name}: ${owner}`))
    for (const property of this.#checker.getPropertiesOfType(type)) this.#member(property, owner)
    for (const kind of [SignatureKind.Call, SignatureKind.Construct]) this.#signatures(type, kind, owner)
  }

  /** Declaration files refer to an exported alias by name, and expand an alias that is private to its file. */
  #alias(type: Type, name: string): void {
    for (const argument of type.getAliasTypeArguments()) this.#type(argument, name)
    const alias = type.getAliasSymbol()
    const declaration = alias?.declarations.find((each) => this.#isOwn(each.path))
    if (alias === undefined || declaration === undefined || !this.#isNew(`alias ${alias.id}`)) return
    if ((this.#modifiers(declaration) & ModifierFlags.Export) === 0) return
    this.types.push(this.#find(declaration, `${name}: ${alias.name}`))
  }

  #signatures(type: Type, kind: SignatureKind, name: string): void {
    const signatures = this.#checker.getSignaturesOfType(type, kind)
    for (const signature of signatures) {
      const { declaration } = signature
      if (declaration === undefined || !this.#isOwn(declaration.path) || this.#isHidden(declaration)) continue
      const docstring = this.#docstring(declaration)
      // For a constructor without a docstring, an editor shows that of the class.
      const isMissing = kind === SignatureKind.Construct ? docstring === '' : signatures.length > 1 && !docstring
      if (isMissing && this.#isNew(`${declaration.path} ${declaration.index}`)) {
        this.undocumented.push(
          this.#find(declaration, kind === SignatureKind.Construct ? `new ${name}()` : `${name}()`),
        )
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
    const isHidden = member.declarations.some((each) => this.#isHidden(each))
    // Skip `#name` and members whose key is a symbol that is not exported.
    const isUnreachable = /^(?:__)?#|^__@(?!async|dispose|iterator)/.test(member.name)
    if (isHidden || isUnreachable || member.flags & SymbolFlags.Prototype) return
    this.#symbol(member, `${owner}.${member.name}`)
  }

  #isHidden(handle: NodeHandle): boolean {
    return (this.#modifiers(handle) & (ModifierFlags.Private | ModifierFlags.Protected)) !== 0
  }

  #modifiers(handle: NodeHandle): ModifierFlags {
    const node = handle.resolve(this.#project) as { readonly modifierFlags?: ModifierFlags } | undefined
    return node?.modifierFlags ?? ModifierFlags.None
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

  #find(handle: NodeHandle, name: string): Found {
    const node = handle.resolve(this.#project)
    const text = this.#project.program.getSourceFile(handle.path)?.text ?? ''
    const start = (node?.pos ?? 0) + (/^(?:\s|\/\/.*|\/\*[^]*?\*\/)*/.exec(text.slice(node?.pos))?.[0].length ?? 0)
    return { path: handle.path, line: text.slice(0, start).split('\n').length, name }
  }
}
