/** Reports whether an input still fails. */
type Fails<T> = (candidate: T) => Promise<boolean>

/**
 * Reduces an input while it still fails. Removes parts of strings and arrays, and reduces numbers, at every depth.
 *
 * @param input A value that JSON can represent
 * @param fails Must return true for `input`
 * @param hasTime Reports whether time remains
 */
export async function minimize<T>(input: T, fails: Fails<T>, hasTime: () => boolean): Promise<T> {
  let smallest = input
  for (let before = ''; hasTime() && before !== JSON.stringify(smallest);) {
    before = JSON.stringify(smallest)
    smallest = await shrink(smallest, async (candidate) => hasTime() && (await fails(candidate)))
  }
  return smallest
}

async function shrink<T>(value: T, fails: Fails<T>): Promise<T> {
  if (typeof value === 'string') return (await removeParts(value, fails as unknown as Fails<string>)) as T
  if (typeof value === 'number') return (await reduce(value, fails as unknown as Fails<number>)) as T
  if (Array.isArray(value)) {
    const left = await removeParts<unknown[]>(value, fails as unknown as Fails<unknown[]>)
    return (await shrinkMembers(left, fails as unknown as Fails<unknown[]>)) as T
  }
  if (typeof value === 'object' && value !== null) return shrinkMembers(value, fails)
  return value
}

/** Removes parts of decreasing size: first half of the value, finally single characters or elements. */
async function removeParts<T extends string | unknown[]>(value: T, fails: Fails<T>): Promise<T> {
  let left = value
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < left.length;) {
      const candidate = without(left, at, size)
      if (await fails(candidate)) left = candidate
      else at += size
    }
  }
  return left
}

function without<T extends string | unknown[]>(value: T, at: number, size: number): T {
  if (typeof value === 'string') return (value.slice(0, at) + value.slice(at + size)) as T
  return [...value.slice(0, at), ...value.slice(at + size)] as T
}

async function shrinkMembers<T extends object>(value: T, fails: Fails<T>): Promise<T> {
  let left = value
  for (const [key, member] of Object.entries(value)) {
    const replaced = (changed: unknown): T =>
      (Array.isArray(left) ? left.with(Number(key), changed) : { ...left, [key]: changed }) as T
    left = replaced(await shrink(member as unknown, (changed) => fails(replaced(changed))))
  }
  return left
}

async function reduce(value: number, fails: Fails<number>): Promise<number> {
  for (const candidate of [0, 1, Math.trunc(value / 2), value - 1]) {
    if (Math.abs(candidate) < Math.abs(value) && (await fails(candidate))) return candidate
  }
  return value
}
