"use strict";
// Before anything is drawn: what an address opens takes the place of the example.
if (location.hash.length > 1 && location.protocol !== "file:") document.body.classList.add("opened", "wanted", "folded");
