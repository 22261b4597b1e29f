declare const valueType: unique symbol

/** The key of a value of type `T` in a `Context`, created by `contextKey()` from `@fw/core`. */
export interface ContextKey<T> {
  /** The name in error messages. */
  readonly name: string
  /** Advice on how to provide the value, for the error about a missing value: `router.use(auth())`. */
  readonly hint: string | undefined
  readonly [valueType]?: T
}

/** A class that serves as the key of its instances in a `Context`. */
export interface ContextClass<T> {
  /** The name in error messages. */
  readonly name: string
  /** Advice on how to provide the value, for the error about a missing value. */
  readonly contextHint?: string
  /** The prototype of the class. Its type is the value's type. */
  readonly prototype: T
}

/** The key of a value in a `Context`. */
export type ContextToken<T> = ContextKey<T> | ContextClass<T>
