import { showValue, withCode } from '@fw/options'

/** Event values by name: `{ tick: number; user: User }`. By default, events can have any name and value. */
export type SseEvents = Record<string, unknown>

/** Names of the events in `Events`. */
export type EventName<Events extends object> = keyof Events & string

/** Converts a value to an event's data. Can be a function compiled from a schema. */
export type Serializer<T> = (value: T) => string

/** Serializers by event name. */
export type Serializers<Events extends object> = {
  // A method type is bivariant, so a serializer can declare a narrower parameter than `unknown`.
  readonly [Name in keyof Events]?: { serialize(value: Events[Name]): string }['serialize']
}

/**
 * Converts a value to the data of an event.
 *
 * @param api Name of the called function, which begins every error
 * @throws {TypeError} if the value has no JSON form
 * @throws any error from `serialize`
 */
export function toData<T>(api: string, value: T, serialize: (value: T) => unknown = JSON.stringify): string {
  const text = serialize(value)
  if (typeof text === 'string') return text
  throw withCode(
    'FW_INVALID_EVENT',
    new TypeError(
      serialize === JSON.stringify
        ? `${api}: value must have a JSON form, got ${showValue(value)}. Pass an object, a string or null.`
        : `${api}: the serializer must return a string, got ${showValue(text)}. Return, for example, JSON.stringify(value).`,
    ),
  )
}
