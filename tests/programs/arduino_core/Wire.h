/* What sketches use of Arduino's I2C bus, for tests. */
#ifndef TEST_WIRE_H
#define TEST_WIRE_H

#include "Arduino.h"

struct Bus {
    void begin();
    void beginTransmission(uint8_t address);
    size_t write(uint8_t byte);
    uint8_t endTransmission(bool stop = true);
    uint8_t requestFrom(uint8_t address, uint8_t bytes);
    int read();
};
extern Bus Wire;

#endif
