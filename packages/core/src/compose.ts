/** Something to run with a context. Returns nothing when it is done already, so that what is synchronous stays so. */
export type Step<C> = (context: C) => Promise<void> | undefined

/** Runs around the rest of a chain, which `next` runs. */
export type Around<C> = (context: C, next: () => Promise<void>) => unknown

/** What a chain needs to know about answers. */
export interface Conclusion<C> {
  /** Takes what a middleware returned that did not call `next`. */
  conclude(context: C, result: unknown): void
  /** Whether there is something to answer with. */
  isAnswered(context: C): boolean
}

const DONE: Promise<void> = Promise.resolve()

/** One run of the chain inside a middleware. */
interface Inner {
  running: Promise<void> | undefined
  isSettled: boolean
  failure: { readonly error: unknown } | undefined
}

/**
 * Wraps `innermost` in middleware, the first one outermost. The chain is built here, once, not for each request.
 *
 * A middleware is done when it and the chain inside it are done, also if it does not wait for `next()`. An error of the
 * chain that it does not let through is still an error if nothing was answered.
 */
export function compose<C>(chain: readonly Around<C>[], innermost: Step<C>, conclusion: Conclusion<C>): Step<C> {
  return chain.reduceRight<Step<C>>((inner, middleware) => wrap(middleware, inner, conclusion), innermost)
}

/** Whether something has to be waited for. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

function wrap<C>(middleware: Around<C>, innerStep: Step<C>, conclusion: Conclusion<C>): Step<C> {
  return (context) => {
    const inner: Inner = { running: undefined, isSettled: false, failure: undefined }
    const result = middleware(context, () => {
      if (inner.running !== undefined) throw new Error('next() was called twice')
      return (inner.running = run(innerStep, context, inner))
    })
    if (isThenable(result)) return finish(result, context, inner, conclusion)
    if (inner.running === undefined) {
      conclusion.conclude(context, result)
      return undefined
    }
    // A middleware that returned at once cannot have waited for `next()`, nor handled its error.
    return inner.running === DONE ? undefined : inner.running
  }
}

function run<C>(step: Step<C>, context: C, inner: Inner): Promise<void> {
  let running: Promise<void>
  try {
    running = step(context) ?? DONE
  } catch (error) {
    inner.failure = { error }
    running = Promise.reject(error)
  }
  if (running === DONE) {
    inner.isSettled = true
  } else {
    if (inner.failure !== undefined) inner.isSettled = true
    // Also keeps a middleware that forgets to await `next()` from ending the process with an unhandled rejection.
    running.then(
      () => {
        inner.isSettled = true
      },
      (error: unknown) => {
        inner.isSettled = true
        inner.failure = { error }
      },
    )
  }
  return running
}

async function finish<C>(
  result: PromiseLike<unknown>,
  context: C,
  inner: Inner,
  conclusion: Conclusion<C>,
): Promise<void> {
  const value = await result
  if (inner.running === undefined) conclusion.conclude(context, value)
  else if (!inner.isSettled) await inner.running
  else if (inner.failure !== undefined && !conclusion.isAnswered(context)) throw inner.failure.error
}
