/* The library I2S of arduino-pico, for tests: the samples of a microphone are the readings of pin A0. */
#ifndef TEST_I2S_H
#define TEST_I2S_H

#include <Arduino.h>

enum PinMode { INPUT, OUTPUT };

class I2S {
public:
    explicit I2S(PinMode direction = OUTPUT) : reads(direction == INPUT) {}
    bool setBCLK(uint8_t) { return true; }
    bool setDATA(uint8_t) { return true; }
    bool setBitsPerSample(int bits) { return bits == 16; }
    bool begin(long rate) { return reads = reads && rate == 16000; }

    bool read16(int16_t *left, int16_t *right)
    {
        *left = *right = reads ? (int16_t)analogRead(A0) : 0;
        return true;
    }

private:
    bool reads;
};

#endif
