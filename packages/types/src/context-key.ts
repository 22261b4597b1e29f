declare const valueType: unique symbol

/** The key of a value of type `T` in a `Context`, created by `contextKey()` from `@fw/core`. */
export interface ContextKey<T> {
  /** The name that error messages show. */
  readonly name: string
  /** How to provide the value, for the error that reports it missing: `router.use(auth())`. */
  readonly hint: string | undefined
  readonly [valueType]?: T
}

/** A class that is the key of its own instances in a `Context`. */
export interface ContextClass<T> {
  /** The name that error messages show. */
  readonly name: string
  /** How to provide the value, for the error that reports it missing. */
  readonly contextHint?: string
  /** The prototype of the class, which has the type of the value. */
  readonly prototype: T
}

/** The key of a value in a `Context`. */
export type ContextToken<T> = ContextKey<T> | ContextClass<T>
