import { statSync } from 'node:fs'

/** Maximum size of a published package. docs/dependencies.md gives the reasons. */
export interface SizeBudget {
  /** Size of the tarball, in bytes. */
  readonly packedBytes: number
  /** Number of packages that npm installs with it, without the package itself and without optional ones. */
  readonly dependencies: number
}

/** Budgets by package name: 5 to 10% above the size when the budget was set. */
export const SIZE_BUDGETS: Readonly<Record<string, SizeBudget>> = {
  '@fw/access-log': { packedBytes: 64_000, dependencies: 6 },
  '@fw/auth': { packedBytes: 41_000, dependencies: 3 },
  '@fw/client-address': { packedBytes: 31_000, dependencies: 1 },
  '@fw/compress': { packedBytes: 97_000, dependencies: 3 },
  '@fw/core': { packedBytes: 790_000, dependencies: 21 },
  '@fw/cors': { packedBytes: 21_000, dependencies: 3 },
  '@fw/create': { packedBytes: 39_000, dependencies: 0 },
  '@fw/csrf': { packedBytes: 8_000, dependencies: 2 },
  '@fw/etag': { packedBytes: 13_000, dependencies: 3 },
  '@fw/http-fields': { packedBytes: 28_000, dependencies: 2 },
  '@fw/log': { packedBytes: 180_000, dependencies: 4 },
  '@fw/node-middleware': { packedBytes: 53_000, dependencies: 2 },
  '@fw/options': { packedBytes: 27_000, dependencies: 0 },
  '@fw/rate-limit': { packedBytes: 50_000, dependencies: 3 },
  '@fw/security-headers': { packedBytes: 21_000, dependencies: 2 },
  '@fw/session': { packedBytes: 52_000, dependencies: 3 },
  '@fw/sse': { packedBytes: 122_000, dependencies: 3 },
  '@fw/static': { packedBytes: 107_000, dependencies: 4 },
  '@fw/types': { packedBytes: 29_000, dependencies: 0 },
  '@fw/websocket': { packedBytes: 64_000, dependencies: 6 },
}

/** Part of a `package-lock.json`: the installed packages by path. */
export interface PackageLock {
  readonly packages: Readonly<Record<string, { readonly dependencies?: Readonly<Record<string, string>> }>>
}

/** Compares a tarball's size with its package's budget. @returns the problems found */
export function checkPackedSize(name: string, tarball: string): string[] {
  const budget = SIZE_BUDGETS[name]?.packedBytes
  const { size } = statSync(tarball)
  if (budget === undefined) return [`scripts/packages/size-budgets.ts has no budget for ${name}, of ${size} bytes`]
  return size <= budget ? [] : [`${name} is packed into ${size} bytes. Its budget is ${budget}`]
}

/** Compares the number of installed packages with the budget. @returns the problems found */
export function checkInstalledPackages(name: string, lock: PackageLock): string[] {
  const budget = SIZE_BUDGETS[name]?.dependencies ?? 0
  const installed = dependenciesOf(name, lock)
  if (installed.length <= budget) return []
  return [`${name} installs ${installed.length} packages. Its budget is ${budget}: ${installed.join(', ')}`]
}

/** Returns the names of the packages that a package needs, directly or indirectly, in alphabetical order. */
export function dependenciesOf(name: string, { packages }: PackageLock): string[] {
  const found = new Set<string>()
  const open = [`node_modules/${name}`]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const dependency of Object.keys(packages[path]?.dependencies ?? {})) {
      const at = resolve(dependency, path, packages)
      if (found.has(at)) continue
      found.add(at)
      open.push(at)
    }
  }
  return Array.from(found, (path) => path.replace(/^.*node_modules\//, '')).toSorted()
}

/** Returns the path at which Node.js finds a package: in the nearest `node_modules` that contains it. */
function resolve(name: string, from: string, packages: PackageLock['packages']): string {
  for (let folder = from; folder !== ''; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder}/node_modules/${name}`
    if (packages[path] !== undefined) return path
  }
  return `node_modules/${name}`
}
