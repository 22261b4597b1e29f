/** Members of a class, without its constructor. */
const membersOf = new Map<object, readonly (readonly [name: string, descriptor: PropertyDescriptor])[]>()

/**
 * Copies the members of an object's class to the object itself, so that they survive a change of its prototype. Keeps the methods
 * that middleware has replaced. Has no effect on an object whose prototype has changed already.
 *
 * @param prototype The prototype of the class
 */
export function keepMembers(object: object, prototype: object): void {
  if (Object.getPrototypeOf(object) !== prototype) return
  let members = membersOf.get(prototype)
  if (members === undefined) {
    members = Object.entries(Object.getOwnPropertyDescriptors(prototype)).filter(([name]) => name !== 'constructor')
    membersOf.set(prototype, members)
  }
  for (const [name, descriptor] of members) {
    if (!Object.hasOwn(object, name)) Object.defineProperty(object, name, descriptor)
  }
}
