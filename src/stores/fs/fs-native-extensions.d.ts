// The part of fs-native-extensions that is used here; the package ships no types.
declare module 'fs-native-extensions' {
  const native: {
    tryLock(fd: number, offset: number, length: number): boolean;
    unlock(fd: number, offset: number, length: number): void;
  };
  export default native;
}
