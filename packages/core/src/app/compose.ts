/** Something to run with a context. Returns nothing when it is done already, so that what is synchronous stays so. */
export type Step<C> = (context: C) => Promise<void> | undefined

/** Runs around the rest of a chain, which `next` runs. */
export type Around<C> = (context: C, next: () => Promise<void>) => unknown

/** What a chain needs to know about answers. */
export interface Conclusion<C> {
  /** Takes what a middleware returned that did not call `next`. */
  conclude(context: C, result: unknown): void
  /** Whether there is something to answer with. */
  hasResponse(context: C): boolean
  /** Releases what a middleware returned that did call `next`. */
  discard(result: unknown): void
}

const DONE: Promise<void> = Promise.resolve()

/**
 * Wraps `innermost` in middleware, the first one outermost. The chain is built here, once, not for each request.
 *
 * A middleware that does not wait for `next()` is waited for together with the chain inside it, unless it has answered
 * itself. An error of the chain that it keeps to itself is an error all the same if nothing was answered.
 */
export function compose<C>(chain: readonly Around<C>[], innermost: Step<C>, conclusion: Conclusion<C>): Step<C> {
  return chain.reduceRight<Step<C>>((inner, middleware) => wrap(middleware, inner, conclusion), innermost)
}

/** Whether something has to be waited for. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

function wrap<C>(middleware: Around<C>, inner: Step<C>, conclusion: Conclusion<C>): Step<C> {
  return (context) => {
    let running: Promise<void> | undefined
    const result = middleware(context, () => {
      if (running !== undefined) throw new Error('next() was called twice')
      return (running = run(inner, context))
    })
    // A middleware that returns what `next()` gave it adds nothing to wait for.
    if (result !== running && isThenable(result)) return finish(result, () => running, context, conclusion)
    if (running === undefined) conclusion.conclude(context, result)
    else if (result !== undefined && result !== running) conclusion.discard(result)
    // A middleware that returned at once cannot have waited for `next()`, nor handled its error.
    return running === DONE ? undefined : running
  }
}

function run<C>(step: Step<C>, context: C): Promise<void> {
  let running: Promise<void>
  try {
    running = step(context) ?? DONE
  } catch (error) {
    running = Promise.reject(error)
  }
  // A middleware that forgets to await `next()` must not end the process with an unhandled rejection.
  if (running !== DONE) running.catch(() => {})
  return running
}

async function finish<C>(
  result: PromiseLike<unknown>,
  inner: () => Promise<void> | undefined,
  context: C,
  conclusion: Conclusion<C>,
): Promise<void> {
  const value = await result
  const running = inner()
  if (running === undefined) return conclusion.conclude(context, value)
  if (value !== undefined) conclusion.discard(value)
  if (!conclusion.hasResponse(context)) await running
}
