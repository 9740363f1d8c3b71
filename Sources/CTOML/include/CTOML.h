// TOML as a flat list of values with their places; a C face over toml++.
#ifndef CTOML_H
#define CTOML_H
#endif
