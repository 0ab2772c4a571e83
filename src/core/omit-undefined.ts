/**
 * A type in which members that may be undefined become optional. It is needed because `exactOptionalPropertyTypes` distinguishes a member
 * that is undefined from one that is absent.
 */
export type WithoutUndefined<Members> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & {
  [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<Members[Name], undefined>;
};

/** Copies an object without its undefined members. Null members are copied. */
export function omitUndefined<Members extends object>(members: Members): WithoutUndefined<Members> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as WithoutUndefined<Members>;
}
